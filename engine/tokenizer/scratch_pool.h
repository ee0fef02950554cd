// Working memory that calls from several threads borrow one at a time and give back, so that it is
// kept from call to call. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace engine {

template <class Scratch>
class ScratchPool {
    struct GiveBack {
        const ScratchPool* pool;
        void operator()(Scratch* scratch) const {
            std::unique_ptr<Scratch> owned(scratch);
            const std::scoped_lock lock(pool->m_mutex);
            if (pool->m_free.size() < kKept) {
                pool->m_free.push_back(std::move(owned));
            }
        }
    };

public:
    // The pool outlives what is borrowed.
    using Borrowed = std::unique_ptr<Scratch, GiveBack>;

    Borrowed borrow() const {
        {
            const std::scoped_lock lock(m_mutex);
            if (!m_free.empty()) {
                Scratch* const scratch = m_free.back().release();
                m_free.pop_back();
                return Borrowed(scratch, GiveBack{this});
            }
        }
        return Borrowed(std::make_unique<Scratch>().release(), GiveBack{this});
    }

private:
    static constexpr std::size_t kKept = 8;

    mutable std::mutex m_mutex;
    mutable std::vector<std::unique_ptr<Scratch>> m_free;
};

} // namespace engine

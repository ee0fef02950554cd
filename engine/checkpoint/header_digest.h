// A digest that is cheap and stable: what headers and documents say and how long files are, not the
// weights themselves. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace engine {

class HeaderDigest {
public:
    HeaderDigest(); // throws std::bad_alloc
    ~HeaderDigest();
    HeaderDigest(const HeaderDigest&) = delete;
    HeaderDigest& operator=(const HeaderDigest&) = delete;

    void add(std::span<const std::byte> bytes);
    void add(std::uint64_t number);
    std::string text() const; // "xxh3:0123456789abcdef"

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace engine

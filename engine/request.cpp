#include "engine/request.h"

#include <array>
#include <utility>

namespace engine {

std::string_view name(FinishReason reason) {
    constexpr std::array<std::string_view, 8> kNames = {
        "stop", "length", "cancelled", "rejected", "too_long", "overloaded", "deadline", "failed"};
    return kNames[static_cast<std::size_t>(reason)];
}

std::optional<TokenStream::Chunk> TokenStream::waitNext(std::chrono::milliseconds timeout) {
    std::unique_lock lock(m_mutex);
    m_arrived.wait_for(lock, timeout, [this] { return hasPending() || m_reason.has_value(); });
    if (!hasPending() && m_reason) {
        return std::nullopt;
    }
    return std::exchange(m_pending, Chunk{});
}

bool TokenStream::isFinished() const {
    const std::lock_guard lock(m_mutex);
    return m_reason.has_value();
}

std::optional<FinishReason> TokenStream::finishReason() const {
    const std::lock_guard lock(m_mutex);
    return m_reason;
}

std::string TokenStream::message() const {
    const std::lock_guard lock(m_mutex);
    return m_message;
}

std::shared_ptr<const RequestRecord> TokenStream::record() const {
    const std::lock_guard lock(m_mutex);
    return m_record;
}

void TokenStream::onReady(std::function<void()> callback) {
    std::function<void()> dueNow;
    {
        const std::lock_guard lock(m_mutex);
        if (m_reason) {
            dueNow = std::move(callback);
        } else {
            m_onReady = std::move(callback);
            if (hasPending()) {
                dueNow = m_onReady;
            }
        }
    }
    if (dueNow) {
        dueNow();
    }
}

void TokenStream::push(std::string_view text, std::optional<TokenId> id,
                       std::optional<TokenLogprobs> logprobs) {
    std::function<void()> ready;
    {
        const std::lock_guard lock(m_mutex);
        if (m_reason) {
            return; // an answer that has ended stays as it was told
        }
        m_pending.text.append(text);
        if (id) {
            m_pending.ids.push_back(*id);
        }
        if (logprobs) {
            m_pending.logprobs.push_back(std::move(*logprobs));
        }
        ready = m_onReady;
    }
    announce(ready);
}

void TokenStream::finish(FinishReason reason, std::string message,
                         std::shared_ptr<const RequestRecord> record) {
    std::function<void()> ready;
    {
        const std::lock_guard lock(m_mutex);
        if (m_reason) {
            return; // the first end counts
        }
        m_reason = reason;
        m_message = std::move(message);
        m_record = std::move(record);
        // Given up here: a callback that owns the stream would keep it alive for ever.
        ready = std::exchange(m_onReady, nullptr);
    }
    announce(ready);
}

void TokenStream::announce(const std::function<void()>& ready) {
    m_arrived.notify_all();
    if (ready) {
        ready();
    }
}

} // namespace engine

#include "engine/loop/prompt_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace engine {

namespace {

// From here on a prompt takes several milliseconds.
constexpr std::size_t kLongBytes = 256 * 1024;

std::size_t longestToken(const Tokenizer& tokenizer) {
    std::size_t longest = 1;
    std::string bytes;
    for (std::int64_t id = 0; id < tokenizer.size(); ++id) {
        bytes.clear();
        tokenizer.appendBytes(static_cast<TokenId>(id), bytes, true);
        longest = std::max(longest, bytes.size());
    }
    return longest;
}

std::size_t promptBytes(const Request& request) {
    if (const auto* text = std::get_if<std::string>(&request.prompt)) {
        return text->size();
    }
    std::size_t bytes = 0;
    if (const auto* messages = std::get_if<std::vector<ChatMessage>>(&request.prompt)) {
        for (const ChatMessage& message : *messages) {
            bytes += message.content.size() + message.reasoning.size() + message.tools.size();
            for (const ToolCall& call : message.toolCalls) {
                bytes += call.name.size() + call.arguments.size();
            }
        }
    }
    return bytes;
}

void takeArrivals(PromptEncoder::Arrivals& from, std::deque<std::unique_ptr<Answer>>& to) {
    for (auto& answer : from.take()) {
        to.push_back(std::move(answer));
    }
}

} // namespace

PromptEncoder::PromptEncoder(const Tokenizer& tokenizer, const ChatFormat* chat,
                             std::int64_t contextTokens, Arrivals& out, Updates& updates)
    : m_tokenizer(tokenizer),
      m_chat(chat),
      m_capacity{.contextTokens = contextTokens, .poolTokens = contextTokens},
      m_longestToken(longestToken(tokenizer)),
      m_out(out),
      m_updates(updates) {}

PromptEncoder::~PromptEncoder() {
    for (Lane& lane : m_lanes) {
        lane.thread.request_stop();
    }
    for (Lane& lane : m_lanes) {
        lane.thread = {}; // joins
        takeArrivals(lane.waiting, lane.taken);
        for (auto& answer : lane.taken) {
            answer->refusal =
                Refusal{.reason = FinishReason::Cancelled, .message = "The engine was closed."};
            m_out.push(std::move(answer));
        }
    }
}

void PromptEncoder::start() {
    for (Lane& lane : m_lanes) {
        lane.thread = std::jthread([this, &lane](const std::stop_token& stop) { run(lane, stop); });
    }
}

void PromptEncoder::submit(std::unique_ptr<Answer> answer) {
    const bool isLong = promptBytes(answer->request) >= kLongBytes;
    m_lanes[isLong ? 1 : 0].waiting.push(std::move(answer));
}

void PromptEncoder::run(Lane& lane, const std::stop_token& stop) {
    while (lane.waiting.wait(stop)) {
        {
            const std::lock_guard lock(lane.mutex);
            takeArrivals(lane.waiting, lane.taken);
        }
        while (!stop.stop_requested() && handOnFirst(lane)) {
        }
        if (&lane == &m_lanes.back()) {
            takeChanges();
        }
    }
}

// False where nobody waits. The answer stays in its place while its text is encoded, so that it can
// be cancelled; what was encoded is of no use then.
bool PromptEncoder::handOnFirst(Lane& lane) {
    Request request;
    RequestId id{};
    std::unique_ptr<Answer> answer;
    const auto takeFirst = [&] {
        answer = std::move(lane.taken.front());
        lane.taken.pop_front();
    };
    {
        const std::lock_guard lock(lane.mutex);
        if (lane.taken.empty()) {
            return false;
        }
        Answer& first = *lane.taken.front();
        if (first.isOpen) {
            takeFirst();
        } else {
            id = first.id;
            request.prompt = std::exchange(first.request.prompt, std::string{});
            request.thinking = first.request.thinking;
        }
    }
    if (answer) {
        takeOpened(std::move(answer));
        return true;
    }
    Encoded encoded = encode(request);
    const std::lock_guard lock(lane.mutex);
    if (lane.taken.empty() || lane.taken.front()->id != id) {
        return true; // it was cancelled, and is gone
    }
    takeFirst();
    answer->refusal = std::move(encoded.refusal);
    answer->prompt = std::move(encoded.prompt);
    answer->promptTokens = std::ssize(answer->prompt);
    answer->ledger.add(Stage::ChatFormat, encoded.chatFormat);
    answer->stamps.tokenized = Clock::now();
    m_out.push(std::move(answer));
    return true;
}

void PromptEncoder::handOnCancelled() {
    for (Lane& lane : m_lanes) {
        {
            const std::lock_guard lock(lane.mutex);
            takeArrivals(lane.waiting, lane.taken);
            for (auto& answer : lane.taken) {
                if (answer->cancellation->stop_requested()) {
                    m_out.push(std::move(answer)); // the engine thread ends it
                }
            }
            std::erase(lane.taken, nullptr);
        }
        lane.waiting.wake(); // for those that were taken
    }
}

void PromptEncoder::open(std::unique_ptr<Answer> answer) {
    answer->isOpen = true;
    m_lanes.back().waiting.push(std::move(answer));
}

void PromptEncoder::change(PromptChange change) {
    {
        const std::lock_guard lock(m_pendingMutex);
        ++m_pending[change.id];
    }
    m_changes.push(std::move(change));
    m_lanes.back().waiting.wake();
}

bool PromptEncoder::hasChanges(RequestId id) const {
    const std::lock_guard lock(m_pendingMutex);
    return m_pending.contains(id);
}

void PromptEncoder::takeOpened(std::unique_ptr<Answer> answer) {
    const RequestId id = answer->id;
    try {
        OpenPrompt prompt(answer->request);
        answer->refusal = refuseOpen(prompt);
        if (!answer->refusal) {
            m_open.emplace(id, std::move(prompt));
        }
    } catch (const std::exception& fault) {
        answer->refusal = Refusal{.message = fault.what()};
    }
    const bool isRefused = answer->refusal.has_value();
    m_out.push(std::move(answer));
    if (!isRefused) {
        sendStable(id, m_open.at(id));
    }
}

// All changes first, then the tokens of each prompt once: pieces that came while the last one was
// encoded cost nothing more.
void PromptEncoder::takeChanges() {
    std::vector<RequestId> changed;
    std::vector<RequestId> done;
    const std::size_t early = m_early.size();
    std::vector<PromptChange> changes = std::exchange(m_early, {});
    std::ranges::move(m_changes.take(), std::back_inserter(changes));
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const PromptChange& change = changes[i];
        const auto found = m_open.find(change.id);
        if (found == m_open.end()) {
            // Its prompt may have been opened since this round began; if it is still not there in
            // the next, it has ended.
            if (i >= early) {
                m_early.push_back(change);
            } else {
                done.push_back(change.id);
            }
            continue;
        }
        done.push_back(change.id);
        if (std::holds_alternative<PromptClosed>(change.what)) {
            m_open.erase(found);
            continue;
        }
        if (auto update = apply(change, found->second)) {
            m_updates.push(std::move(*update));
            m_open.erase(found);
        } else if (std::ranges::find(changed, change.id) == changed.end()) {
            changed.push_back(change.id);
        }
    }
    for (const RequestId id : changed) {
        if (const auto found = m_open.find(id); found != m_open.end()) {
            sendStable(id, found->second);
        }
    }
    {
        const std::lock_guard lock(m_pendingMutex);
        for (const RequestId id : done) {
            if (const auto pending = m_pending.find(id); --pending->second == 0) {
                m_pending.erase(pending);
            }
        }
    }
    m_out.wake();
}

// The last update, where the prompt is completed or can't be served.
std::optional<PromptUpdate> PromptEncoder::apply(const PromptChange& change,
                                                 OpenPrompt& prompt) const {
    PromptUpdate update{
        .id = change.id, .tokens = {}, .completed = {}, .tokenized = {}, .refusal = {}};
    if (const auto* truncated = std::get_if<PromptTruncated>(&change.what)) {
        prompt.truncate(truncated->bytes);
        return std::nullopt;
    }
    if (const auto* appended = std::get_if<PromptAppended>(&change.what)) {
        prompt.append(appended->text);
        update.refusal = refuseOpen(prompt);
        return update.refusal ? std::optional(std::move(update)) : std::nullopt;
    }
    update.completed = std::get<PromptCompleted>(change.what);
    auto ids = encodePrompt(m_tokenizer, m_chat, prompt.request());
    if (ids) {
        update.tokens = std::move(*ids);
    } else {
        update.refusal = Refusal{.message = ids.error().message};
    }
    update.tokenized = Clock::now();
    return update;
}

std::optional<Refusal> PromptEncoder::refuseOpen(const OpenPrompt& prompt) const {
    return refuseBytes(promptBytes(prompt.request()), m_longestToken, m_capacity);
}

void PromptEncoder::sendStable(RequestId id, const OpenPrompt& prompt) const {
    m_updates.push({.id = id,
                    .tokens = prompt.stableTokens(m_tokenizer, m_chat),
                    .completed = {},
                    .tokenized = {},
                    .refusal = {}});
    m_out.wake();
}

PromptEncoder::Encoded PromptEncoder::encode(const Request& request) const {
    try {
        return encodeText(request);
    } catch (const std::exception& fault) {
        return {.prompt = {},
                .refusal = Refusal{
                    .reason = FinishReason::Failed,
                    .message = fmt::format("The prompt could not be encoded: {}.", fault.what())}};
    }
}

PromptEncoder::Encoded PromptEncoder::encodeText(const Request& request) const {
    Encoded encoded;
    encoded.refusal = refuseBytes(promptBytes(request), m_longestToken, m_capacity);
    if (encoded.refusal) {
        return encoded;
    }
    const TimePoint begin = Clock::now();
    if (const auto* messages = std::get_if<std::vector<ChatMessage>>(&request.prompt);
        messages != nullptr && m_chat != nullptr) {
        static_cast<void>(m_chat->render(*messages, request.thinking));
    }
    encoded.chatFormat = Clock::now() - begin;
    auto ids = encodePrompt(m_tokenizer, m_chat, request);
    if (!ids) {
        encoded.refusal = Refusal{.message = ids.error().message};
    } else {
        encoded.prompt = std::move(*ids);
    }
    return encoded;
}

} // namespace engine

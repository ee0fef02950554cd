#include "engine/serving/answer_store.h"

#include <fmt/format.h>

namespace engine {

namespace {

// Of an entry beside its texts: nodes, index, vectors.
constexpr std::uint64_t kEntryBytes = 256;

std::string withPlainLineEnds(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r' || i + 1 >= text.size() || text[i + 1] != '\n') {
            result += text[i];
        }
    }
    return result;
}

std::string trimmed(const std::string& text) {
    constexpr std::string_view kBlank = " \t\n";
    const auto begin = text.find_first_not_of(kBlank);
    return begin == std::string::npos
               ? std::string()
               : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Lengths before texts, so that two keys are equal only where all their parts are.
void add(std::string& key, std::string_view part) {
    key += fmt::format("{}:", part.size());
    key += part;
}

struct PromptKey {
    std::string& key;
    void operator()(const std::string& text) const {
        key += 't';
        add(key, withPlainLineEnds(text));
    }
    void operator()(const std::vector<ChatMessage>& messages) const {
        key += 'm';
        for (const ChatMessage& message : messages) {
            add(key, message.role);
            add(key, trimmed(withPlainLineEnds(message.content)));
            add(key, message.reasoning);
            add(key, message.tools);
            add(key, message.toolCallId);
            for (const ToolCall& call : message.toolCalls) {
                add(key, call.name);
                add(key, call.arguments);
                add(key, call.id);
            }
            key += ';';
        }
    }
    void operator()(const std::vector<TokenId>& ids) const {
        key += 'i';
        for (const TokenId id : ids) {
            key += fmt::format("{},", id);
        }
    }
};

} // namespace

std::string answerKey(const Request& request, std::string_view model, SampledAnswers sampled) {
    const Sampling& sampling = request.sampling;
    const bool isGreedy = !(sampling.temperature > 0.0F);
    if (request.logprobs || (!isGreedy && sampled == SampledAnswers::Leave)) {
        return {};
    }
    std::string key;
    add(key, model);
    add(key, request.tenant);
    key += fmt::format("{},{},{},", request.maxTokens, request.ignoreEnd ? 1 : 0,
                       static_cast<int>(request.thinking));
    if (!isGreedy) {
        key += fmt::format("{},{},{},{},{},", sampling.temperature, sampling.topK, sampling.topP,
                           sampling.minP, sampling.seed);
    }
    for (const std::string& stop : request.stop) {
        add(key, stop);
    }
    std::visit(PromptKey{key}, request.prompt);
    return key;
}

void AnswerStore::limit(std::uint64_t bytes, Nanoseconds lifetime) {
    const std::lock_guard lock(m_mutex);
    m_limit = bytes;
    m_lifetime = lifetime;
    shrink();
}

void AnswerStore::keep(std::string key, std::shared_ptr<const StoredAnswer> answer,
                       TimePoint kept) {
    std::uint64_t bytes = kEntryBytes + key.size();
    for (const TokenStream::Chunk& piece : answer->pieces) {
        bytes += sizeof piece + piece.text.size() + piece.ids.size() * sizeof(TokenId);
    }
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_index.find(key); found != m_index.end()) {
        remove(found->second);
    }
    if (bytes > m_limit) {
        return;
    }
    m_entries.push_front(
        {.key = std::move(key), .answer = std::move(answer), .kept = kept, .bytes = bytes});
    m_index.emplace(m_entries.front().key, m_entries.begin());
    m_bytes += bytes;
    ++m_changes;
    shrink();
}

std::shared_ptr<const StoredAnswer> AnswerStore::find(const std::string& key, TimePoint now) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_index.find(key);
    if (found != m_index.end() && now - found->second->kept >= m_lifetime) {
        remove(found->second);
    } else if (found != m_index.end()) {
        ++m_hits;
        m_entries.splice(m_entries.begin(), m_entries, found->second);
        return m_entries.front().answer;
    }
    ++m_misses;
    return nullptr;
}

bool AnswerStore::holds(const std::string& key) const {
    const std::lock_guard lock(m_mutex);
    return m_index.contains(key);
}

void AnswerStore::remove(Entries::iterator entry) {
    m_bytes -= entry->bytes;
    ++m_changes;
    m_index.erase(entry->key);
    m_entries.erase(entry);
}

void AnswerStore::shrink() {
    while (m_bytes > m_limit) {
        remove(std::prev(m_entries.end()));
    }
}

void AnswerStore::clear() {
    const std::lock_guard lock(m_mutex);
    m_index.clear();
    m_entries.clear();
    m_bytes = 0;
    ++m_changes;
}

std::vector<KeptAnswer> AnswerStore::all(TimePoint now) const {
    const std::lock_guard lock(m_mutex);
    std::vector<KeptAnswer> kept;
    for (const Entry& entry : m_entries) {
        if (now - entry.kept < m_lifetime) {
            kept.push_back({.key = entry.key, .answer = entry.answer, .age = now - entry.kept});
        }
    }
    return kept;
}

AnswerStoreStatus AnswerStore::status() const {
    const std::lock_guard lock(m_mutex);
    return {.entries = std::ssize(m_entries),
            .bytes = m_bytes,
            .hits = m_hits,
            .misses = m_misses,
            .changes = m_changes};
}

} // namespace engine

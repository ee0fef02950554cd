// Answers that were given, by exactly what was asked: bounded in memory, each for a while. Any
// thread; time is an argument.
#pragma once

#include "engine/request.h"
#include "engine/serving.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine {

// All that decides an answer, as one text: prompt (line ends and the ends of messages normalised),
// model, sampling, limits, tenant. Empty where an answer can't be given again: log-probabilities
// are asked for, or it is drawn with a temperature and `keepsSampled` is off.
enum class SampledAnswers : std::uint8_t { Leave, Keep };
std::string answerKey(const Request& request, std::string_view model, SampledAnswers sampled);

class AnswerStore {
public:
    // Takes effect with the next call; what is too much or too old goes then.
    void limit(std::uint64_t bytes, Nanoseconds lifetime);
    // `kept`: now, or when it was kept first.
    void keep(std::string key, std::shared_ptr<const StoredAnswer> answer, TimePoint kept);
    std::shared_ptr<const StoredAnswer> find(const std::string& key,
                                             TimePoint now); // null: unknown
    bool holds(const std::string& key) const;                // outlived or not; no hit and no miss
    void clear();
    std::vector<KeptAnswer> all(TimePoint now) const; // used last first, without the outlived
    AnswerStoreStatus status() const;

private:
    struct Entry {
        std::string key;
        std::shared_ptr<const StoredAnswer> answer;
        TimePoint kept;
        std::uint64_t bytes = 0;
    };
    using Entries = std::list<Entry>; // used last first

    void remove(Entries::iterator entry);
    void shrink();

    mutable std::mutex m_mutex;
    Entries m_entries;
    std::unordered_map<std::string_view, Entries::iterator> m_index; // into the entries' keys
    std::uint64_t m_bytes = 0, m_limit = 64U << 20U;
    Nanoseconds m_lifetime{std::chrono::hours(1)};
    std::uint64_t m_hits = 0, m_misses = 0, m_changes = 0;
};

} // namespace engine

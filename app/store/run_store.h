// The run log: SQLite, one writer. Schema in resources/store/NNN_*.sql, queries here. A RunStore
// belongs to the thread that uses it; open one per thread.
#pragma once

#include "app/observe/history.h"
#include "engine/backend.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace app {

enum class RunState : std::uint8_t { Recording, Finished, Interrupted, Failed };
std::string_view name(RunState state);

struct RunInfo {
    std::int64_t id = 0;
    std::string uuid, name, note;
    RunState state = RunState::Recording;
    std::string startedUtc; // ISO 8601
    double seconds = 0.0;
    std::string modelName, modelDigest;
    std::string workloadName, workloadToml;
    std::string requestDigest;
    std::optional<std::uint64_t> seed;
    std::string machineJson;                 // cpu, isa, threads, memory, device, versions
    double sloTtftMs = 800, sloTpotMs = 100; // limits of goodput in force
    bool isIncomplete = false;               // events were lost
    std::vector<std::string> tags;
};

struct SettingRow {
    std::int64_t timeNs = 0;
    std::string field, requested, effective, state, reason;
};

// What happened beside requests; kind and payload as app/store/event_json writes them.
struct StoredEvent {
    std::int64_t sequence = 0; // in order within the run, from 1
    std::int64_t timeNs = 0;
    std::uint64_t step = 0;
    std::string source, kind, payloadJson;
};

// One second: what charts show, the highest values within it, and every metric of the engine's
// table in its order as it stood at the second's end (empty where the log has no such column).
struct SampleRow {
    Sample sample;
    double kvSharePeak = 0, processBytesPeak = 0;
    std::vector<std::optional<double>> metrics;
};

// A stored request: the record with times relative to the run's start.
struct StoredRequest {
    std::int64_t n = 0;
    engine::RequestRecord record; // stamps as TimePoint{} + ns from the run's start
};

// What lists and tables show of a run. Quantiles are exact, over warm, completed requests; rates
// are over the whole run. Definitions: summary.h.
struct RunSummary {
    RunInfo run;
    std::int64_t requests = 0, completed = 0, cancelled = 0, failed = 0, rejected = 0;
    Quantiles ttftMs, tpotMs, e2eMs, itlMs;
    std::optional<double> hitShare; // of the prompts behind ttftMs; empty where nobody knows
    // Empty for a run of no time.
    std::optional<double> outputPerSecond, promptPerSecond, requestsPerSecond;
    std::optional<double> goodputPerSecond; // TTFT <= run.sloTtftMs and TPOT <= run.sloTpotMs
    std::optional<double> wantedRate;       // empty for closed loops and without a schedule
    std::optional<double> achievedRate;     // empty below two arrivals at two times
    std::optional<double> lagP50Ms, lagP99Ms;
    std::int64_t alarms = 0;          // raised during the run
    std::vector<SettingRow> settings; // the last row of each field
};

// An experiment of the log: the run it was recorded as, its TOML form and its blocks as JSON.
struct StoredBlock {
    std::int64_t number = 0, fromNs = 0, toNs = 0;
    std::string json;
    bool operator==(const StoredBlock&) const = default;
};
struct StoredExperiment {
    RunInfo run;
    std::string name, toml;
    std::vector<StoredBlock> blocks; // in order
};

// A run whole, for reports and comparison; or without requests and samples, for charts of it.
struct RunData {
    RunSummary summary;
    std::vector<StoredRequest> requests;
    std::vector<SampleRow> samples;
    std::vector<StoredEvent> events;
    std::vector<SettingRow> settings;           // every row
    std::optional<StoredExperiment> experiment; // where the run is one
    History history;                            // filled from samples, requests, events
    std::string digest;                         // "sha256:..." of the raw rows
    bool hasMinutes = false;                    // its samples are minutes: of a run of days
    bool isWhole = true; // false: of overview(), without requests, samples and digest
};
// Makes the history anew from samples, events and requests.
void fillHistory(RunData& data);

struct RunSize {
    std::int64_t requests = 0, samples = 0;
};

enum class StoreMode : std::uint8_t { Write, ReadOnly };

class RunStore {
public:
    // Write: takes the lock (ErrorCode::Busy names the holder), checks, migrates with a backup
    // before, marks runs left recording as interrupted. ReadOnly: never writes, never checkpoints;
    // works beside a writer.
    static engine::Result<std::unique_ptr<RunStore>> open(const std::filesystem::path& file,
                                                          StoreMode mode);
    ~RunStore();

    // Reading.
    engine::Result<std::vector<RunSummary>> runs() const; // newest first
    engine::Result<RunSummary> summary(std::int64_t run) const;
    // Of a run of more than kMostSeconds the samples are minutes.
    engine::Result<RunData> load(std::int64_t run) const;
    static constexpr std::int64_t kMostSeconds = 200'000;
    // Summary, settings, events that people read, and a history of minutes: at once, however long
    // the run is.
    engine::Result<RunData> overview(std::int64_t run) const;
    // With the requests that were there at some time of a span, and its samples; seconds of the
    // run.
    engine::Result<RunData> loadSpan(std::int64_t run, double from, double to) const;
    engine::Result<std::vector<Sample>> seconds(std::int64_t run, double from, double to) const;
    engine::Result<RunSize> size(std::int64_t run) const;
    // Newest first; a log from before there were experiments has none.
    engine::Result<std::vector<StoredExperiment>> experiments() const;
    // Runs that open() found in state recording.
    std::vector<std::int64_t> interruptedAtOpen() const;

    // Writing. One transaction a batch; the batch is all or nothing.
    engine::Result<std::int64_t> beginRun(const RunInfo& info, const engine::ConfigStatus& config);
    struct Batch {
        std::vector<engine::Event> events;
        std::vector<SampleRow> samples;
        std::vector<SettingRow> settings;
        bool isEmpty() const { return events.empty() && samples.empty() && settings.empty(); }
    };
    engine::Result<void> append(std::int64_t run, engine::TimePoint start, const Batch& batch);
    engine::Result<void> endRun(std::int64_t run, RunState state, double seconds,
                                bool isIncomplete);
    engine::Result<void> rename(std::int64_t run, const std::string& name, const std::string& note);
    engine::Result<void> setTags(std::int64_t run, const std::vector<std::string>& tags);
    engine::Result<void> remove(std::int64_t run);
    // The same in pieces: at once it is in no list any more, and its rows go by tidySome().
    engine::Result<void> beginRemove(std::int64_t run);
    // What can wait: rows of removed runs, tiers and figures of ended ones. A bounded piece in one
    // transaction; false: there is nothing left to do.
    engine::Result<bool> tidySome();
    // Every run of another log; those that are here already (the same uuid) are left out. The ids
    // that they got.
    engine::Result<std::vector<std::int64_t>> importRuns(const std::filesystem::path& other);
    // A run that was read from a document; ErrorCode::Busy where its uuid is here already.
    engine::Result<std::int64_t> importRun(const RunData& run);
    // Marks a run as an experiment; its blocks follow as they end.
    engine::Result<void> addExperiment(std::int64_t run, const std::string& name,
                                       const std::string& toml);
    engine::Result<void> addBlock(std::int64_t run, const StoredBlock& block);

    const std::filesystem::path& file() const;

private:
    struct State;
    explicit RunStore(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

// The user's run log.
std::filesystem::path defaultRunLog();
// A new one beside a log that another program writes, under a free name: "runs-2.db".
engine::Result<std::unique_ptr<RunStore>> openSpareRunLog(const std::filesystem::path& file);
// One row a field, at a time of the run.
std::vector<SettingRow> settingRows(const engine::ConfigStatus& config, std::int64_t timeNs);

} // namespace app

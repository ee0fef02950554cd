// All figures of one instant (Snapshot), mergeable histograms, and the table that names the
// metrics. Definitions: ARCHITECTURE.md, section Metrics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace engine {

// Log-linear buckets of nanoseconds or plain counts: exact below 64, relative error of a quantile
// <= 1 % up to 2^46 (~19 h of nanoseconds); greater values count as that. Trivially copyable; two
// histograms add, and a later one minus an earlier one is the window between.
class Histogram {
public:
    static constexpr int kSubBuckets = 64; // a power of two is split in 64
    static constexpr int kBuckets = 41 * kSubBuckets;

    void add(std::int64_t value); // values below 1 count as 0
    std::uint64_t count() const { return m_count; }
    double sum() const { return m_sum; }
    // Nearest rank, q in [0,1]; empty when there is no value.
    std::optional<double> quantile(double q) const;
    Histogram& operator+=(const Histogram& other);
    // Precondition: `earlier` is a former state of this histogram.
    Histogram& operator-=(const Histogram& earlier);

private:
    std::uint64_t m_count = 0;
    double m_sum = 0.0;
    std::array<std::uint32_t, kBuckets> m_buckets{};
};

enum class EngineState : std::uint8_t { NoModel, Loading, Idle, Running, Draining, Failed };
std::string_view name(EngineState state);

inline constexpr std::array<std::int64_t, 13> kStepTokenEdges = {
    1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

struct Snapshot {
    std::int64_t timeNs = 0; // Clock
    std::uint64_t step = 0;
    EngineState state = EngineState::NoModel;

    std::int64_t running = 0;
    std::int64_t waiting = 0;
    std::int64_t slots = 0;         // effective max batch
    std::int64_t stepSequences = 0; // in the last step
    std::int64_t stepTokens = 0;
    std::int64_t kvBlocksUsed = 0; // referenced by sequences
    std::int64_t kvBlocksTotal = 0;
    std::int64_t kvTokens = 0;     // tokens held; used * blockTokens - kvTokens is waste
    std::int64_t kvBlocksKept = 0; // by the prefix cache alone: free as soon as they are needed
    // Of it, those that were packed and have no place in the pool any more.
    std::int64_t kvBlocksPacked = 0;
    std::uint64_t kvPackedBytes = 0;   // they take
    std::uint64_t kvUnpackedBytes = 0; // they took, and will take again
    std::uint64_t kvRestores = 0;      // blocks that were unpacked for a request, since load

    std::uint64_t promptTokens = 0; // computed, counters since load
    std::uint64_t outputTokens = 0;
    std::uint64_t received = 0;
    std::uint64_t completed = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t failed = 0;
    std::uint64_t rejected = 0;
    std::uint64_t preemptions = 0;
    std::uint64_t prefixQueries = 0; // prompt tokens that were looked up
    std::uint64_t prefixHits = 0;    // and those found
    std::uint64_t blockedNs = 0;     // dynamic: waiting for the longest answer of a closed batch
    std::uint64_t deadlinesMet = 0;  // of the batch lane
    std::uint64_t deadlinesMissed = 0;
    std::uint64_t cachedAnswers = 0; // of those completed
    std::uint64_t lightAnswers = 0;  // received by the light model
    std::int64_t level = 0;          // of degradation
    // Steps by their tokens: at most kStepTokenEdges[i], and last those above all.
    std::array<std::uint64_t, kStepTokenEdges.size() + 1> stepsByTokens{};
    std::uint64_t stepTokensSum = 0;

    std::int64_t poolBusyNs = 0; // sum over workers
    std::int64_t threads = 0;
    std::uint64_t weightsBytes = 0;
    std::uint64_t weightsAheadBytes = 0; // made before they are wanted, or waiting for a step
    std::int64_t adapters = 0;           // over the one base
    std::uint64_t adapterBytes = 0;      // of them, and of those that still finish requests
    std::uint64_t kvBytes = 0;           // bounds of keys for sparse attention among them
    std::uint64_t processBytes = 0;      // resident
    std::uint64_t machineTotalBytes = 0;
    std::uint64_t machineAvailableBytes = 0;
};

// One metric of the table: its exported name, unit, label, and how it is read.
struct Metric {
    std::string_view key;   // "running", column of the run log
    std::string_view label; // English; translated by app/labels
    std::string_view unit;
    bool isCounter = false;
    double (*get)(const Snapshot&) = nullptr;
};
std::span<const Metric> metricTable();

} // namespace engine

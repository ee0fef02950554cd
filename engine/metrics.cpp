#include "engine/metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace engine {

namespace {

constexpr int kSubBits = std::countr_zero(static_cast<unsigned>(Histogram::kSubBuckets));

// Values below kSubBuckets have a bucket each; above, a power of two is split into kSubBuckets.
std::size_t bucketOf(std::uint64_t value) {
    if (value < Histogram::kSubBuckets) {
        return static_cast<std::size_t>(value);
    }
    const auto shift = static_cast<int>(std::bit_width(value)) - 1 - kSubBits;
    const auto sub = static_cast<std::size_t>(value >> shift) - Histogram::kSubBuckets;
    const std::size_t bucket = static_cast<std::size_t>(shift + 1) * Histogram::kSubBuckets + sub;
    return std::min(bucket, static_cast<std::size_t>(Histogram::kBuckets - 1));
}

// The middle of a bucket's values: at most 1/128 from any of them.
double middleOf(std::size_t bucket) {
    const auto octave = bucket / Histogram::kSubBuckets;
    const auto sub = bucket % Histogram::kSubBuckets;
    if (octave == 0) {
        return static_cast<double>(sub);
    }
    const std::uint64_t width = std::uint64_t{1} << (octave - 1);
    const std::uint64_t lowest = (Histogram::kSubBuckets + sub) * width;
    return static_cast<double>(lowest) + static_cast<double>(width - 1) / 2.0;
}

template <auto kMember>
double read(const Snapshot& snapshot) {
    return static_cast<double>(snapshot.*kMember);
}

constexpr std::array kMetrics = {
    Metric{"running", "Running", "req", false, read<&Snapshot::running>},
    Metric{"waiting", "Waiting", "req", false, read<&Snapshot::waiting>},
    Metric{"slots", "Slots", "req", false, read<&Snapshot::slots>},
    Metric{"step_sequences", "Step sequences", "req", false, read<&Snapshot::stepSequences>},
    Metric{"step_tokens", "Step tokens", "tok", false, read<&Snapshot::stepTokens>},
    Metric{"kv_blocks_used", "KV blocks used", "blocks", false, read<&Snapshot::kvBlocksUsed>},
    Metric{"kv_blocks_total", "KV blocks", "blocks", false, read<&Snapshot::kvBlocksTotal>},
    Metric{"kv_tokens", "KV tokens", "tok", false, read<&Snapshot::kvTokens>},
    Metric{"kv_blocks_kept", "KV blocks kept", "blocks", false, read<&Snapshot::kvBlocksKept>},
    Metric{"kv_blocks_packed", "KV blocks packed", "blocks", false,
           read<&Snapshot::kvBlocksPacked>},
    Metric{"kv_packed_bytes", "Packed KV memory", "B", false, read<&Snapshot::kvPackedBytes>},
    Metric{"kv_unpacked_bytes", "Packed KV before packing", "B", false,
           read<&Snapshot::kvUnpackedBytes>},
    Metric{"kv_restores", "KV blocks unpacked", "blocks", true, read<&Snapshot::kvRestores>},
    Metric{"steps", "Steps", "", true, read<&Snapshot::step>},
    Metric{"prompt_tokens", "Prompt tokens", "tok", true, read<&Snapshot::promptTokens>},
    Metric{"output_tokens", "Output tokens", "tok", true, read<&Snapshot::outputTokens>},
    Metric{"received", "Received", "req", true, read<&Snapshot::received>},
    Metric{"completed", "Completed", "req", true, read<&Snapshot::completed>},
    Metric{"cancelled", "Cancelled", "req", true, read<&Snapshot::cancelled>},
    Metric{"failed", "Failed", "req", true, read<&Snapshot::failed>},
    Metric{"rejected", "Rejected", "req", true, read<&Snapshot::rejected>},
    Metric{"preemptions", "Preemptions", "", true, read<&Snapshot::preemptions>},
    Metric{"prefix_queries", "Prefix queries", "tok", true, read<&Snapshot::prefixQueries>},
    Metric{"prefix_hits", "Prefix hits", "tok", true, read<&Snapshot::prefixHits>},
    Metric{"blocked_ns", "Blocked by a batch", "ns", true, read<&Snapshot::blockedNs>},
    Metric{"deadlines_met", "Batch deadlines met", "req", true, read<&Snapshot::deadlinesMet>},
    Metric{"deadlines_missed", "Batch deadlines missed", "req", true,
           read<&Snapshot::deadlinesMissed>},
    Metric{"cached_answers", "Cached answers", "req", true, read<&Snapshot::cachedAnswers>},
    Metric{"light_answers", "Light model requests", "req", true, read<&Snapshot::lightAnswers>},
    Metric{"degradation_level", "Degradation level", "", false, read<&Snapshot::level>},
    Metric{"pool_busy_ns", "Pool busy time", "ns", true, read<&Snapshot::poolBusyNs>},
    Metric{"threads", "Threads", "", false, read<&Snapshot::threads>},
    Metric{"weights_bytes", "Weights memory", "B", false, read<&Snapshot::weightsBytes>},
    Metric{"weights_ahead_bytes", "Weights made in advance", "B", false,
           read<&Snapshot::weightsAheadBytes>},
    Metric{"adapters", "Adapters", "", false, read<&Snapshot::adapters>},
    Metric{"adapter_bytes", "Adapters memory", "B", false, read<&Snapshot::adapterBytes>},
    Metric{"kv_bytes", "KV memory", "B", false, read<&Snapshot::kvBytes>},
    Metric{"process_bytes", "Process memory", "B", false, read<&Snapshot::processBytes>},
    Metric{"machine_total_bytes", "Machine memory", "B", false, read<&Snapshot::machineTotalBytes>},
    Metric{"machine_available_bytes", "Machine memory available", "B", false,
           read<&Snapshot::machineAvailableBytes>},
};

} // namespace

void Histogram::add(std::int64_t value) {
    const std::uint64_t counted = value < 1 ? 0 : static_cast<std::uint64_t>(value);
    ++m_buckets[bucketOf(counted)];
    ++m_count;
    m_sum += static_cast<double>(counted);
}

std::optional<double> Histogram::quantile(double q) const {
    if (m_count == 0) {
        return std::nullopt;
    }
    // Nearest rank: the smallest value that at least q of all values do not exceed.
    const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(m_count));
    const auto rank = std::clamp(static_cast<std::uint64_t>(wanted), std::uint64_t{1}, m_count);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        seen += m_buckets[bucket];
        if (seen >= rank) {
            return middleOf(bucket);
        }
    }
    return middleOf(m_buckets.size() - 1);
}

Histogram& Histogram::operator+=(const Histogram& other) {
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        m_buckets[bucket] += other.m_buckets[bucket];
    }
    m_count += other.m_count;
    m_sum += other.m_sum;
    return *this;
}

Histogram& Histogram::operator-=(const Histogram& earlier) {
    for (std::size_t bucket = 0; bucket < m_buckets.size(); ++bucket) {
        m_buckets[bucket] -= earlier.m_buckets[bucket];
    }
    m_count -= earlier.m_count;
    m_sum -= earlier.m_sum;
    return *this;
}

std::string_view name(EngineState state) {
    constexpr std::array<std::string_view, 6> kNames = {"no model", "loading",  "idle",
                                                        "running",  "draining", "failed"};
    return kNames[static_cast<std::size_t>(state)];
}

std::span<const Metric> metricTable() {
    return kMetrics;
}

} // namespace engine

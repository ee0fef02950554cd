// Figures in the text format of Prometheus, under the names that vLLM gives them, so that existing
// dashboards work; what only this product has is under headway. One thread at a time.
#pragma once

#include "engine/events.h"
#include "engine/metrics.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Counts of values up to each edge, as Prometheus wants them.
class EdgeHistogram {
public:
    explicit EdgeHistogram(std::span<const double> edges)
        : m_edges(edges),
          m_counts(edges.size() + 1) {}
    void add(double value);
    std::span<const double> edges() const { return m_edges; }
    const std::vector<std::uint64_t>& counts() const { return m_counts; } // the last: above all
    double sum() const { return m_sum; }

private:
    std::span<const double> m_edges;
    std::vector<std::uint64_t> m_counts;
    double m_sum = 0.0;
};

class ApiMetrics {
public:
    ApiMetrics();
    void add(const engine::RequestRecord& record);
    // The whole exposition.
    std::string text(const engine::Snapshot& figures, std::string_view model,
                     const std::vector<std::string>& raisedAlarms) const;

private:
    enum class Series : std::uint8_t { // a histogram each, in this order
        Ttft,
        Itl,
        Tpot,
        E2e,
        Queue,
        Prefill,
        Decode,
        Inference,
        Prompt,
        Generation,
        Lag
    };
    void addTo(Series series, std::optional<double> value);
    void addLatencies(const engine::RequestRecord& record);

    std::vector<EdgeHistogram> m_histograms;                      // a row a name
    std::map<std::string, std::uint64_t, std::less<>> m_finished; // by reason
    std::array<std::uint64_t, 3> m_sources{};                     // model, cache, light
    std::array<double, engine::kStages> m_stageSeconds{};
};

} // namespace app

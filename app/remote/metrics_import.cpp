#include "app/remote/metrics_import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace app {

namespace {

enum class Fold : std::uint8_t { Sum, Greatest };

struct ImportRow {
    std::string_view name;
    std::optional<double> ImportedFigures::*figure;
    Fold fold;
};
constexpr std::array kRows = {
    ImportRow{"vllm:num_requests_running", &ImportedFigures::running, Fold::Sum},
    ImportRow{"sglang:num_running_reqs", &ImportedFigures::running, Fold::Sum},
    ImportRow{"trtllm:num_requests_running", &ImportedFigures::running, Fold::Sum},
    ImportRow{"llamacpp:requests_processing", &ImportedFigures::running, Fold::Sum},
    ImportRow{"vllm:num_requests_waiting", &ImportedFigures::waiting, Fold::Sum},
    ImportRow{"sglang:num_queue_reqs", &ImportedFigures::waiting, Fold::Sum},
    ImportRow{"trtllm:num_requests_waiting", &ImportedFigures::waiting, Fold::Sum},
    ImportRow{"llamacpp:requests_deferred", &ImportedFigures::waiting, Fold::Sum},
    ImportRow{"vllm:kv_cache_usage_perc", &ImportedFigures::kvShare, Fold::Greatest},
    ImportRow{"vllm:gpu_cache_usage_perc", &ImportedFigures::kvShare, Fold::Greatest},
    ImportRow{"sglang:token_usage", &ImportedFigures::kvShare, Fold::Greatest},
    ImportRow{"trtllm_kv_cache_utilization", &ImportedFigures::kvShare, Fold::Greatest},
    ImportRow{"llamacpp:kv_cache_usage_ratio", &ImportedFigures::kvShare, Fold::Greatest},
    ImportRow{"vllm:prompt_tokens_total", &ImportedFigures::promptTokens, Fold::Sum},
    ImportRow{"sglang:prompt_tokens_total", &ImportedFigures::promptTokens, Fold::Sum},
    ImportRow{"llamacpp:prompt_tokens_total", &ImportedFigures::promptTokens, Fold::Sum},
    ImportRow{"vllm:generation_tokens_total", &ImportedFigures::outputTokens, Fold::Sum},
    ImportRow{"sglang:generation_tokens_total", &ImportedFigures::outputTokens, Fold::Sum},
    ImportRow{"llamacpp:tokens_predicted_total", &ImportedFigures::outputTokens, Fold::Sum},
    ImportRow{"vllm:num_preemptions_total", &ImportedFigures::preemptions, Fold::Sum},
    ImportRow{"vllm:prefix_cache_queries_total", &ImportedFigures::prefixQueries, Fold::Sum},
    ImportRow{"vllm:prefix_cache_hits_total", &ImportedFigures::prefixHits, Fold::Sum},
};

// The value of "name{labels} value [time]"; labels may hold blanks and braces in quotes.
std::optional<double> valueOf(std::string_view line, std::size_t nameEnd) {
    bool isQuoted = false;
    std::size_t at = nameEnd;
    if (at < line.size() && line[at] == '{') {
        for (++at; at < line.size() && (isQuoted || line[at] != '}'); ++at) {
            if (isQuoted && line[at] == '\\') {
                ++at;
            } else if (line[at] == '"') {
                isQuoted = !isQuoted;
            }
        }
        ++at;
    }
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) {
        ++at;
    }
    if (at >= line.size()) {
        return std::nullopt;
    }
    double value = 0.0;
    const auto [end, code] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    return code == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace

ImportedFigures importMetrics(std::string_view text) {
    ImportedFigures figures;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t nameEnd = std::min(line.find_first_of("{ \t"), line.size());
        const auto* row = std::ranges::find(kRows, line.substr(0, nameEnd), &ImportRow::name);
        if (row == kRows.end()) {
            continue;
        }
        const auto value = valueOf(line, nameEnd);
        if (!value || *value < 0.0) {
            continue;
        }
        std::optional<double>& figure = figures.*row->figure;
        figure = !figure                  ? *value
                 : row->fold == Fold::Sum ? *figure + *value
                                          : std::max(*figure, *value);
    }
    return figures;
}

} // namespace app

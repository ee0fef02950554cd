// Figures that another server tells in the text format of Prometheus, under the names of vLLM,
// SGLang, TensorRT-LLM or llama.cpp, read into ours. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace app {

struct ImportedFigures {
    std::optional<double> running, waiting,
        kvShare; // summed over engines; the share is the greatest
    std::optional<double> promptTokens, outputTokens, preemptions, prefixQueries, prefixHits;
    bool isEmpty() const { return !running && !waiting && !kvShare && !outputTokens; }
};
// Tolerant: lines that are not understood are passed over.
ImportedFigures importMetrics(std::string_view text);

} // namespace app

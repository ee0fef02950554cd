// Which format a matrix is held in for a precision that was asked for, and why where it is another;
// and the list of that by kinds of tensors. Pure; any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/config.h"
#include "kernels/formats.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

enum class WeightGroup : std::uint8_t {
    Embedding,
    Attention,
    FeedForward,
    Experts,
    Router,
    Output
};
std::string_view name(WeightGroup group);
WeightGroup weightGroup(std::string_view tensor); // by GGUF's names

struct PlannedFormat {
    kernels::Format format = kernels::Format::F32;
    std::string reason; // empty where it is what was asked for
};
PlannedFormat planFormat(WeightPrecision precision, WeightGroup group, kernels::Format file,
                         std::int64_t columns);
// Bits of an element, scales included.
double bitsPerElement(kernels::Format format);
// What all weights of a file will take. An estimate: tiles pad their last rows.
std::uint64_t weightBytesNeeded(const Checkpoint& checkpoint, WeightPrecision precision);

class WeightGroups {
public:
    void add(WeightGroup group, WeightPrecision requested, const PlannedFormat& planned,
             std::uint64_t bytes);
    std::vector<WeightGroupStatus> status() const; // by group

private:
    struct Entry {
        std::string requested;
        std::map<kernels::Format, std::int64_t> formats;
        std::string reason;
        std::int64_t tensors = 0;
        std::uint64_t bytes = 0;
    };
    std::map<WeightGroup, Entry> m_entries;
};

} // namespace engine

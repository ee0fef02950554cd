// A KV block packed without loss, for as long as nobody reads it: its bytes are taken apart into
// runs of one kind (codes, and the low and high bytes of factors or halves), so that each run is
// packed by what suits it (entropy_code.h). Unpacking gives the same bytes again. Pure; any thread.
#pragma once

#include "kernels/kv_coding.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

// The bytes of a block in one buffer of a layer, [heads, blockTokens, row] as `coding` stores them.
struct BlockPart {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    kernels::KvCoding coding = kernels::KvCoding::F16;
    std::int64_t heads = 0;
    std::int64_t tokens = 0;
    std::int64_t dim = 0;
    std::int64_t plainTail = 0;
};

using PackedBytes = std::vector<std::byte>;

PackedBytes packBlock(std::span<const BlockPart> parts);
// Writes the parts; false where `packed` is not what packBlock() made of such parts, and then they
// hold anything. Never reads or writes outside either.
[[nodiscard]] bool unpackBlock(std::span<const std::byte> packed, std::span<const BlockPart> parts);

std::size_t plainBytes(std::span<const BlockPart> parts);

} // namespace engine

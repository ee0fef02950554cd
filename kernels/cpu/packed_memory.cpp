#include "kernels/cpu/packed_memory.h"

namespace kernels::cpu {

namespace {

// Address space until it is written: what the last weight leaves over costs nothing.
constexpr std::size_t kSlabBytes = std::size_t{64} << 20;
constexpr std::size_t kLine = 64;

} // namespace

Buffer PackedMemory::take(std::size_t bytes) {
    const std::size_t needed = (bytes + kLine - 1) / kLine * kLine;
    if (needed > kSlabBytes / 4) {
        return Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(bytes)});
    }
    if (m_slab.bytes() < m_used + needed) {
        m_slab = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(kSlabBytes)});
        m_used = 0;
    }
    const Buffer taken = m_slab.part(m_used, bytes);
    m_used += needed;
    return taken;
}

} // namespace kernels::cpu

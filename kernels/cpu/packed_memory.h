// Memory of packed weights: small ones lie side by side in slabs of huge pages, as a product that
// changes pages every 4 KiB reads much slower. One thread.
#pragma once

#include "kernels/tensor.h"

namespace kernels::cpu {

class PackedMemory {
public:
    // 64-byte aligned, zeroed, shared with the slab it lies in. Throws std::bad_alloc.
    Buffer take(std::size_t bytes);

private:
    Buffer m_slab; // the newest; each lives as long as the last weight in it
    std::size_t m_used = 0;
};

} // namespace kernels::cpu

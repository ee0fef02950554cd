#include "kernels/page_advice.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace kernels {

void preferSmallPages(const View& memory) {
    if (memory.data == nullptr || memory.device != Device::Cpu) {
        return;
    }
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(memory.data);
    const std::uintptr_t begin = (first + page - 1) & ~(page - 1);
    const std::uintptr_t end = (first + memory.bytes()) & ~(page - 1);
    if (begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_NOHUGEPAGE);
    }
}

} // namespace kernels

#include "kernels/cuda/shared.cuh"

#include <cuda_runtime.h>

namespace simt {

void readShared(const SharedArray* array, std::int64_t offset, void* to, std::size_t bytes,
                std::size_t alignment) {
    lane().executor->access(array, offset, bytes, Access::Read, alignment,
                            __builtin_return_address(0));
    std::memcpy(to, array->data + offset, bytes);
}

void writeShared(const SharedArray* array, std::int64_t offset, const void* from, std::size_t bytes,
                 std::size_t alignment) {
    lane().executor->access(array, offset, bytes, Access::Write, alignment,
                            __builtin_return_address(0));
    std::memcpy(array->data + offset, from, bytes);
}

void* atomicShared(const SharedArray* array, std::int64_t offset, std::size_t bytes) {
    lane().executor->access(array, offset, bytes, Access::Atomic, bytes,
                            __builtin_return_address(0));
    return array->data + offset;
}

SharedArray* carveShared(std::size_t index, std::size_t elementBytes, std::size_t count,
                         std::size_t endBytes) {
    return lane().executor->carve(index, elementBytes, count, endBytes,
                                  __builtin_return_address(0));
}

} // namespace simt

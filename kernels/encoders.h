// Encoders of the quantised formats that synthetic and test models are written in: any blocks that
// decode close to the input. Non-finite input encodes as zero. Private to formats.cpp.
#pragma once

#include <cstddef>

namespace kernels {

void encodeQ4_0(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ4_1(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ5_0(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ5_1(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ8_0(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ4_K(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ5_K(const float* in, std::size_t blocks, std::byte* dst);
void encodeQ6_K(const float* in, std::size_t blocks, std::byte* dst);

} // namespace kernels

// The vector types of CUDA, with its alignments: float4 is 16 bytes, and so on.
#pragma once

#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned ofX = 1, unsigned ofY = 1, unsigned ofZ = 1) : x(ofX), y(ofY), z(ofZ) {}
    constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

template <class T>
struct alignas(2 * sizeof(T)) SimtVector2 {
    T x, y;
};
template <class T>
struct SimtVector3 {
    T x, y, z;
};
template <class T>
struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) SimtVector4 {
    T x, y, z, w;
};

using char2 = SimtVector2<signed char>;
using uchar2 = SimtVector2<unsigned char>;
using short2 = SimtVector2<short>;
using ushort2 = SimtVector2<unsigned short>;
using int2 = SimtVector2<int>;
using uint2 = SimtVector2<unsigned>;
using float2 = SimtVector2<float>;
using double2 = SimtVector2<double>;
using longlong2 = SimtVector2<long long>;
using ulonglong2 = SimtVector2<unsigned long long>;
using int3 = SimtVector3<int>;
using float3 = SimtVector3<float>;
using char4 = SimtVector4<signed char>;
using uchar4 = SimtVector4<unsigned char>;
using short4 = SimtVector4<short>;
using ushort4 = SimtVector4<unsigned short>;
using int4 = SimtVector4<int>;
using uint4 = SimtVector4<unsigned>;
using float4 = SimtVector4<float>;

constexpr float2 make_float2(float x, float y) {
    return {x, y};
}
constexpr float3 make_float3(float x, float y, float z) {
    return {x, y, z};
}
constexpr float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}
constexpr int2 make_int2(int x, int y) {
    return {x, y};
}
constexpr int4 make_int4(int x, int y, int z, int w) {
    return {x, y, z, w};
}
constexpr uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
constexpr char4 make_char4(signed char x, signed char y, signed char z, signed char w) {
    return {x, y, z, w};
}
constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
    return {x, y, z, w};
}
// NOLINTEND(readability-identifier-naming)

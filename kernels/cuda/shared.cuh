// Shared memory of a block: typed arrays carved one after the other from the dynamic block. Every
// thread of a block carves the same arrays in the same order, at the start of the kernel.
// In the tests' executor the same names check bounds, initialisation and races of every access.
//
//     SharedCarver carver;
//     Shared<float> tile = carver.take<float>(blockDim.x);
//     tile[threadIdx.x] = value;      // an element is read and written like one of a plain array;
//     const float other = tile[i];    // name its type: `auto` would copy the reference. The fields
//     float4 four = tile.as<float4>()[i]; // of a vector are reached through a copy.
//     atomicAdd(&tile[i], 1.0F);
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels {

// Arrays begin at multiples of this: enough for 16-byte loads, copies and matrix loads.
inline constexpr std::size_t kSharedAlignment = 16;

// What the host asks for at the launch: the same arrays, in the kernel's order.
//     SharedSize().add<float>(256).add<std::int8_t>(1024).bytes()
class SharedSize {
public:
    template <class T>
    constexpr SharedSize add(std::size_t count) const {
        SharedSize next;
        next.m_bytes = (m_bytes + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment +
                       count * sizeof(T);
        return next;
    }
    constexpr std::size_t bytes() const { return m_bytes; }

private:
    std::size_t m_bytes = 0;
};

} // namespace kernels

#ifdef __CUDACC__

namespace kernels {

template <class T>
class Shared {
public:
    Shared() = default;
    __device__ __forceinline__ explicit Shared(T* data) : m_data(data) {}

    __device__ __forceinline__ T& operator[](std::uint32_t i) const { return m_data[i]; }
    // The array from element n on.
    __device__ __forceinline__ Shared operator+(std::uint32_t n) const {
        return Shared(m_data + n);
    }
    // The same bytes as elements of another type.
    template <class U>
    __device__ __forceinline__ Shared<U> as() const {
        return Shared<U>(reinterpret_cast<U*>(m_data));
    }
    // A plain pointer, for what has no other way; the executor can't check what goes through it.
    __device__ __forceinline__ T* unchecked() const { return m_data; }

private:
    T* m_data = nullptr;
};

class SharedCarver {
public:
    template <class T>
    __device__ __forceinline__ Shared<T> take(std::uint32_t count) {
        static_assert(alignof(T) <= kSharedAlignment, "shared arrays begin at multiples of 16");
        extern __shared__ __align__(128) unsigned char dynamicShared[];
        constexpr auto kAlignment = static_cast<std::uint32_t>(kSharedAlignment);
        m_offset = (m_offset + kAlignment - 1) / kAlignment * kAlignment;
        T* const data = reinterpret_cast<T*>(dynamicShared + m_offset);
        m_offset += count * static_cast<std::uint32_t>(sizeof(T));
        return Shared<T>(data);
    }

private:
    std::uint32_t m_offset = 0;
};

} // namespace kernels

#else
#include <emulated_shared.h> // tests/support/simt
#endif

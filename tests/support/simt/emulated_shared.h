// The executor's side of kernels/cuda/shared.cuh: the same names, every access checked. An element
// is a reference object; it lives within one expression only, so keeping one by `auto` does not
// compile where it is used.
#pragma once

#include "tests/support/simt/executor.h"

#include <cstring>
#include <type_traits>

namespace simt {

// Out of line, so that their return address is the place in the kernel.
void readShared(const SharedArray* array, std::int64_t offset, void* to, std::size_t bytes,
                std::size_t alignment);
void writeShared(const SharedArray* array, std::int64_t offset, const void* from, std::size_t bytes,
                 std::size_t alignment);
// Checks an atomic access and gives the place itself.
void* atomicShared(const SharedArray* array, std::int64_t offset, std::size_t bytes);
SharedArray* carveShared(std::size_t index, std::size_t elementBytes, std::size_t count,
                         std::size_t endBytes);

#define SIMT_INLINE __attribute__((always_inline)) inline

} // namespace simt

namespace kernels {

// What &tile[i] is: good for atomics.
template <class T>
struct SharedPointer {
    const simt::SharedArray* array = nullptr;
    std::int64_t offset = 0;
};

template <class T>
class SharedReference {
public:
    SIMT_INLINE SharedReference(const simt::SharedArray* array, std::int64_t offset)
        : m_array(array),
          m_offset(offset) {}
    SharedReference(const SharedReference&) = delete;

    SIMT_INLINE operator T() const&& { return read(); }
    SIMT_INLINE void operator=(const T& value) && { write(value); }
    SIMT_INLINE void operator=(SharedReference&& other) && { write(other.read()); }
    SIMT_INLINE void operator+=(const T& value) && { write(static_cast<T>(read() + value)); }
    SIMT_INLINE void operator-=(const T& value) && { write(static_cast<T>(read() - value)); }
    SIMT_INLINE void operator*=(const T& value) && { write(static_cast<T>(read() * value)); }
    SIMT_INLINE void operator/=(const T& value) && { write(static_cast<T>(read() / value)); }
    SIMT_INLINE void operator|=(const T& value) && { write(static_cast<T>(read() | value)); }
    SIMT_INLINE void operator&=(const T& value) && { write(static_cast<T>(read() & value)); }
    SIMT_INLINE SharedPointer<T> operator&() const&& { return {m_array, m_offset}; }

private:
    SIMT_INLINE T read() const {
        T value;
        simt::readShared(m_array, m_offset, &value, sizeof(T), alignof(T));
        return value;
    }
    SIMT_INLINE void write(const T& value) {
        simt::writeShared(m_array, m_offset, &value, sizeof(T), alignof(T));
    }

    const simt::SharedArray* m_array;
    std::int64_t m_offset;
};

template <class T>
class Shared {
public:
    using Element = std::remove_const_t<T>;

    Shared() = default;
    Shared(simt::SharedArray* array, std::int64_t offset) : m_array(array), m_offset(offset) {}

    // An index is unsigned as on the device, where a negative one is a huge one.
    SIMT_INLINE SharedReference<Element> operator[](std::uint32_t i) const {
        return {m_array, m_offset + static_cast<std::int64_t>(i) * std::int64_t{sizeof(T)}};
    }
    Shared operator+(std::uint32_t n) const {
        return {m_array, m_offset + static_cast<std::int64_t>(n) * std::int64_t{sizeof(T)}};
    }
    template <class U>
    Shared<U> as() const {
        return {m_array, m_offset};
    }
    T* unchecked() const {
        if (m_array == nullptr) {
            return nullptr;
        }
        m_array->isTracked = false;
        return reinterpret_cast<T*>(m_array->data + m_offset);
    }

    // For the intrinsics.
    simt::SharedArray* array() const { return m_array; }
    std::int64_t offset() const { return m_offset; }

private:
    simt::SharedArray* m_array = nullptr;
    std::int64_t m_offset = 0;
};

class SharedCarver {
public:
    template <class T>
    SIMT_INLINE Shared<T> take(std::uint32_t count) {
        static_assert(alignof(T) <= kSharedAlignment, "shared arrays begin at multiples of 16");
        const std::size_t begin =
            (m_offset + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
        m_offset = begin + count * sizeof(T);
        return {simt::carveShared(m_next++, sizeof(T), count, m_offset), 0};
    }

private:
    std::size_t m_next = 0;
    std::size_t m_offset = 0; // where it would be on the device
};

} // namespace kernels

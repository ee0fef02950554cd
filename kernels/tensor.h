// Shapes and tensors. A View borrows, a Buffer owns; both say which device their bytes live on.
// Dimensions are outermost first: [tokens, heads, headDim]. Plain values, any thread.
#pragma once

#include "kernels/formats.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace kernels {

enum class Device : std::uint8_t { Cpu, Cuda };

class Shape {
public:
    static constexpr int kMaxRank = 4;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> dims); // rank 1..4, every dim >= 0

    int rank() const { return m_rank; }
    std::int64_t operator[](int i) const { return m_dims[static_cast<std::size_t>(i)]; }
    std::int64_t elements() const;
    std::int64_t rowLength() const {
        return m_rank == 0 ? 0 : m_dims[static_cast<std::size_t>(m_rank - 1)];
    }
    std::int64_t rows() const; // elements / rowLength
    bool operator==(const Shape&) const = default;

private:
    std::array<std::int64_t, kMaxRank> m_dims{};
    int m_rank = 0;
};

struct View {
    void* data = nullptr;
    Format format = Format::F32;
    Shape shape;
    Device device = Device::Cpu;
    // What all values of a weight matrix are multiplied by besides; not 1 for NVFP4 only.
    float factor = 1.0F;

    // Typed access to F32 data on the CPU.
    float* f32() const { return static_cast<float*>(data); }
    // The first `count` rows of the outermost dimension.
    View first(std::int64_t count) const;
    std::size_t bytes() const;
};

class Buffer {
public:
    Buffer() = default;
    // 64-byte aligned CPU memory, zeroed. Throws std::bad_alloc.
    static Buffer cpu(Format format, Shape shape);
    // Of any device: what view.data points to lives as long as `memory`.
    static Buffer of(std::shared_ptr<void> memory, View view);

    // Bytes [offset, offset + bytes) of this buffer as I8; the memory lives as long as either.
    Buffer part(std::size_t offset, std::size_t bytes) const;

    View view() const { return m_view; }
    std::size_t bytes() const { return m_view.data == nullptr ? 0 : m_view.bytes(); }
    explicit operator bool() const { return m_view.data != nullptr; }

private:
    std::shared_ptr<void> m_memory; // the deleter knows the device
    View m_view;
};

} // namespace kernels

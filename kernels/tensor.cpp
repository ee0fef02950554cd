#include "kernels/tensor.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace kernels {

Shape::Shape(std::initializer_list<std::int64_t> dims) {
    if (dims.size() == 0 || dims.size() > kMaxRank) {
        throw std::invalid_argument("a shape has 1 to 4 dimensions");
    }
    for (const std::int64_t dim : dims) {
        if (dim < 0) {
            throw std::invalid_argument("a dimension is negative");
        }
        m_dims[static_cast<std::size_t>(m_rank++)] = dim;
    }
}

std::int64_t Shape::elements() const {
    std::int64_t product = m_rank == 0 ? 0 : 1;
    for (int i = 0; i < m_rank; ++i) {
        product *= m_dims[static_cast<std::size_t>(i)];
    }
    return product;
}

std::int64_t Shape::rows() const {
    const std::int64_t length = rowLength();
    return length == 0 ? 0 : elements() / length;
}

View View::first(std::int64_t count) const {
    View result = *this;
    switch (shape.rank()) {
    case 1:
        result.shape = Shape{count};
        break;
    case 2:
        result.shape = Shape{count, shape[1]};
        break;
    case 3:
        result.shape = Shape{count, shape[1], shape[2]};
        break;
    default:
        result.shape = Shape{count, shape[1], shape[2], shape[3]};
        break;
    }
    return result;
}

std::size_t View::bytes() const {
    return formatBytes(format, static_cast<std::size_t>(shape.elements()));
}

namespace {

// Large buffers are mapped by themselves: zero without being touched, so that each worker's first
// write places its pages. The largest in huge pages where the system has them: pointer chasing
// through 4 KiB pages halves what a product reads a second.
std::shared_ptr<void> mapMemory(std::size_t bytes, bool wantsHugePages) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    if (wantsHugePages) {
        madvise(memory, bytes, MADV_HUGEPAGE); // a wish: not every kernel grants it
    }
    return {memory, [bytes](void* p) { munmap(p, bytes); }};
}

std::shared_ptr<void> allocateMemory(std::size_t bytes) {
    constexpr std::size_t kAlignment = 64;
    void* memory = std::aligned_alloc(kAlignment, bytes);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    std::memset(memory, 0, bytes);
    return {memory, std::free};
}

} // namespace

Buffer Buffer::cpu(Format format, Shape shape) {
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kMapped = 64 * kPage; // from which on a mapping of its own pays
    const std::size_t bytes = formatBytes(format, static_cast<std::size_t>(shape.elements()));
    const std::size_t unit = bytes >= 2 * kHugePage ? kHugePage : bytes >= kMapped ? kPage : kLine;
    if (bytes > SIZE_MAX - unit) {
        throw std::bad_alloc();
    }
    const std::size_t rounded = bytes == 0 ? kLine : (bytes + unit - 1) / unit * unit;
    Buffer buffer;
    buffer.m_memory =
        unit == kLine ? allocateMemory(rounded) : mapMemory(rounded, unit == kHugePage);
    buffer.m_view = View{
        .data = buffer.m_memory.get(), .format = format, .shape = shape, .device = Device::Cpu};
    return buffer;
}

Buffer Buffer::of(std::shared_ptr<void> memory, View view) {
    Buffer buffer;
    buffer.m_memory = std::move(memory);
    buffer.m_view = view;
    return buffer;
}

Buffer Buffer::part(std::size_t offset, std::size_t bytes) const {
    if (offset > this->bytes() || bytes > this->bytes() - offset) {
        throw std::out_of_range("a part of a buffer lies inside of it");
    }
    Buffer buffer;
    buffer.m_memory = m_memory;
    buffer.m_view = View{.data = static_cast<std::byte*>(m_view.data) + offset,
                         .format = Format::I8,
                         .shape = Shape{static_cast<std::int64_t>(bytes)},
                         .device = m_view.device};
    return buffer;
}

} // namespace kernels

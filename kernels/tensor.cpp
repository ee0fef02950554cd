#include "kernels/tensor.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

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

Buffer Buffer::cpu(Format format, Shape shape) {
    constexpr std::size_t kAlignment = 64;
    const std::size_t bytes = formatBytes(format, static_cast<std::size_t>(shape.elements()));
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    std::memset(memory, 0, rounded);
    Buffer buffer;
    buffer.m_memory = std::shared_ptr<void>(memory, std::free);
    buffer.m_view = View{.data = memory, .format = format, .shape = shape, .device = Device::Cpu};
    return buffer;
}

} // namespace kernels

#include "engine/model/weights.h"

#include "engine/base/failure.h"
#include "engine/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace engine {

namespace {

std::string text(const kernels::Shape& shape) {
    std::string result = "[";
    for (int i = 0; i < shape.rank(); ++i) {
        result += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
    }
    return result + "]";
}

} // namespace

kernels::ActivationPrecision activationPrecision(WeightRole role, std::int64_t layer,
                                                 std::int64_t layers) {
    const bool isFine = role == WeightRole::Output || role == WeightRole::Embedding ||
                        role == WeightRole::AttentionInput || layer == 0 || layer == layers - 1;
    return isFine ? kernels::ActivationPrecision::Int16 : kernels::ActivationPrecision::Int8;
}

WeightLoader::WeightLoader(const Checkpoint& checkpoint, kernels::Ops& ops,
                           const WeightOptions& options)
    : m_checkpoint(checkpoint),
      m_ops(ops),
      m_options(options) {
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        m_totalBytes += tensor.size();
    }
}

std::unique_ptr<kernels::Weight> WeightLoader::matrix(const std::string& name, std::int64_t rows,
                                                      std::int64_t columns,
                                                      kernels::ActivationPrecision precision) {
    const TensorEntry& tensor = take(name, kernels::Shape{rows, columns});
    const kernels::FormatTraits& format = kernels::traits(tensor.format);
    if (!format.isWeight) {
        throw Failure(ErrorCode::Corrupt,
                      fmt::format("The tensor {} is stored as {}, which no product can compute.",
                                  name, format.name));
    }
    // Views are not const: operators write to theirs, but never to a file's weight.
    const kernels::View view{.data = const_cast<std::byte*>(m_checkpoint.contents(tensor).data()),
                             .format = tensor.format,
                             .shape = tensor.shape,
                             .device = kernels::Device::Cpu};
    auto weight = m_ops.prepare(view, m_options.layout, precision);
    if (m_options.layout == kernels::WeightLayout::Packed) {
        m_checkpoint.release(tensor);
    }
    return weight;
}

kernels::Buffer WeightLoader::vector(const std::string& name, std::int64_t length) {
    const TensorEntry& tensor = take(name, kernels::Shape{length});
    if (length % kernels::traits(tensor.format).blockElements != 0) {
        throw Failure(ErrorCode::Corrupt,
                      fmt::format("The tensor {} has {} elements, not whole blocks of {}.", name,
                                  length, kernels::traits(tensor.format).name));
    }
    kernels::Buffer buffer = m_ops.allocate(kernels::Format::F32, kernels::Shape{length});
    const std::span values(buffer.view().f32(), static_cast<std::size_t>(length));
    kernels::dequantize(tensor.format, m_checkpoint.contents(tensor).data(), values);
    if (tensor.bytes.empty()) { // made for us: nobody else needs it
        m_checkpoint.release(tensor);
    }
    return buffer;
}

kernels::Buffer WeightLoader::vectorIfPresent(const std::string& name, std::int64_t length) {
    return has(name) ? vector(name, length) : kernels::Buffer{};
}

std::int64_t WeightLoader::leaveOut(std::string_view prefix) {
    std::int64_t count = 0;
    for (const TensorEntry& tensor : m_checkpoint.tensors()) {
        if (std::string_view(tensor.name).starts_with(prefix)) {
            m_taken.insert(tensor.name);
            ++count;
        }
    }
    return count;
}

void WeightLoader::refuseLeftOvers() const {
    for (const TensorEntry& tensor : m_checkpoint.tensors()) {
        if (!m_taken.contains(tensor.name)) {
            throw Failure(
                ErrorCode::Corrupt,
                fmt::format("The file holds a tensor {} that this architecture does not have: it "
                            "is another kind of model than it says.",
                            tensor.name));
        }
    }
}

kernels::Format WeightLoader::dominantFormat() const {
    const auto most = std::ranges::max_element(m_elements, {},
                                               &std::pair<kernels::Format, std::uint64_t>::second);
    return most == m_elements.end() ? kernels::Format::F32 : most->first;
}

const TensorEntry& WeightLoader::take(const std::string& name, const kernels::Shape& shape) {
    if (m_options.stop.stop_requested()) {
        throw Interrupted();
    }
    const TensorEntry* tensor = m_checkpoint.find(name);
    if (tensor == nullptr) {
        throw Failure(ErrorCode::Corrupt, fmt::format("The model's tensor {} is missing.", name));
    }
    if (!(tensor->shape == shape)) {
        throw Failure(ErrorCode::Corrupt,
                      fmt::format("The model's tensor {} has the shape {}; its keys say {}.", name,
                                  text(tensor->shape), text(shape)));
    }
    readPages(*tensor);
    m_taken.insert(name);
    const auto elements = static_cast<std::uint64_t>(shape.elements());
    m_parameters += elements;
    const auto group = std::ranges::find(m_elements, tensor->format,
                                         &std::pair<kernels::Format, std::uint64_t>::first);
    if (group == m_elements.end()) {
        m_elements.emplace_back(tensor->format, elements);
    } else {
        group->second += elements;
    }
    return *tensor;
}

// Reads a byte of every page in pieces, so that a slow disk shows progress and can be stopped.
void WeightLoader::readPages(const TensorEntry& tensor) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kPiece = 4U << 20U;
    for (std::size_t begin = 0; begin < tensor.bytes.size(); begin += kPiece) {
        if (m_options.stop.stop_requested()) {
            throw Interrupted();
        }
        const std::size_t end = std::min(begin + kPiece, tensor.bytes.size());
        for (std::size_t at = begin; at < end; at += kPage) {
            const volatile std::byte* byte = tensor.bytes.data() + at;
            static_cast<void>(*byte);
        }
        m_doneBytes += end - begin;
        if (m_options.progress) {
            m_options.progress(m_doneBytes, m_totalBytes);
        }
    }
    if (tensor.bytes.empty()) {
        m_doneBytes += tensor.size();
        if (m_options.progress) {
            m_options.progress(m_doneBytes, m_totalBytes);
        }
    }
    if (const auto whole = m_checkpoint.stillWhole(); !whole) {
        throw Failure(whole.error().code, whole.error().message);
    }
}

} // namespace engine

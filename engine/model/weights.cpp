#include "engine/model/weights.h"

#include "engine/base/failure.h"
#include "engine/model/model.h"
#include "kernels/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

// Views are not const: operators write to theirs, but never to a file's weight.
kernels::View viewOf(const TensorEntry& tensor, const std::byte* bytes, const kernels::Shape& shape,
                     float factor) {
    return {.data = const_cast<std::byte*>(bytes),
            .format = tensor.format,
            .shape = shape,
            .device = kernels::Device::Cpu,
            .factor = factor};
}

// "blk.0.attn_q.weight" and ".scale": "blk.0.attn_q.scale".
std::string besides(const std::string& name, std::string_view suffix) {
    constexpr std::string_view kWeight = ".weight";
    return name.substr(0, name.size() - (name.ends_with(kWeight) ? kWeight.size() : 0))
        .append(suffix);
}

} // namespace

kernels::ActivationPrecision activationPrecision(WeightRole role, std::int64_t layer,
                                                 std::int64_t layers) {
    const bool isFine = role == WeightRole::AttentionInput || layer == 0 || layer == layers - 1;
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

const TensorEntry& WeightLoader::takeMatrix(const std::string& name, const kernels::Shape& shape) {
    const TensorEntry& tensor = take(name, shape);
    const kernels::FormatTraits& format = kernels::traits(tensor.format);
    if (!format.isWeight) {
        throw Failure(ErrorCode::Corrupt,
                      fmt::format("The tensor {} is stored as {}, which no product can compute.",
                                  name, format.name));
    }
    return tensor;
}

std::unique_ptr<kernels::Weight> WeightLoader::matrix(const std::string& name, std::int64_t rows,
                                                      std::int64_t columns,
                                                      kernels::ActivationPrecision precision) {
    const TensorEntry& tensor = takeMatrix(name, kernels::Shape{rows, columns});
    if (m_options.isTrial) {
        takeFactors(tensor, 1);
        return nullptr;
    }
    auto weight = prepare(name,
                          viewOf(tensor, m_checkpoint.contents(tensor).data(), tensor.shape,
                                 takeFactors(tensor, 1).front()),
                          m_options.layout, precision);
    releaseAfter(tensor);
    return weight;
}

WeightVector WeightLoader::stack(const std::string& name, const Stacked& stacked,
                                 kernels::ActivationPrecision precision) {
    const std::int64_t fileRows = stacked.fileRows == 0 ? stacked.rows : stacked.fileRows;
    kernels::Shape shape{stacked.count, fileRows, stacked.columns};
    if (const TensorEntry* tensor = m_checkpoint.find(name);
        tensor != nullptr && tensor->shape.rank() == 2) {
        shape = kernels::Shape{stacked.count * fileRows, stacked.columns};
    }
    const TensorEntry& tensor = takeMatrix(name, shape);
    const std::size_t rowBytes =
        kernels::formatBytes(tensor.format, static_cast<std::size_t>(stacked.columns));
    const std::vector<float> factors = takeFactors(tensor, stacked.count);
    WeightVector weights;
    if (m_options.isTrial) {
        weights.resize(static_cast<std::size_t>(stacked.count));
        return weights;
    }
    weights.reserve(static_cast<std::size_t>(stacked.count));
    for (std::int64_t i = 0; i < stacked.count; ++i) {
        if (m_options.stop.stop_requested()) {
            throw Interrupted();
        }
        const bool isStack = shape.rank() == 3;
        const std::byte* bytes = isStack ? m_checkpoint.contents(tensor, i).data()
                                         : m_checkpoint.contents(tensor).data();
        const std::int64_t row = (isStack ? 0 : i * fileRows) + stacked.firstRow;
        weights.push_back(
            prepare(name,
                    viewOf(tensor, bytes + static_cast<std::size_t>(row) * rowBytes,
                           {stacked.rows, stacked.columns}, factors[static_cast<std::size_t>(i)]),
                    m_options.layout, precision));
        if (isStack && tensor.bytes.empty()) {
            releaseAfter(tensor); // made one by one, so that a stack never is in memory twice
        }
    }
    releaseAfter(tensor);
    return weights;
}

std::unique_ptr<kernels::Weight> WeightLoader::own(const std::string& name,
                                                   const kernels::View& view,
                                                   kernels::ActivationPrecision precision) {
    return prepare(name, view, kernels::WeightLayout::Packed, precision);
}

// In the precision that was asked for, where the matrix can have it.
std::unique_ptr<kernels::Weight> WeightLoader::prepare(const std::string& name,
                                                       const kernels::View& view,
                                                       kernels::WeightLayout layout,
                                                       kernels::ActivationPrecision precision) {
    const WeightGroup group = weightGroup(name);
    const bool isAsInFile = m_options.onMatrix && m_options.onMatrix(name);
    const PlannedFormat planned =
        planFormat(isAsInFile ? WeightPrecision::File : m_options.precision, group, view.format,
                   view.shape[1]);
    std::unique_ptr<kernels::Weight> weight;
    if (planned.format == view.format) {
        weight = m_ops.prepare(view, layout, precision);
    } else {
        const kernels::Buffer converted =
            kernels::convertRows(view, planned.format, *m_options.pool, [this] {
                if (m_options.stop.stop_requested()) {
                    throw Interrupted();
                }
            });
        const kernels::View rows{.data = converted.view().data,
                                 .format = planned.format,
                                 .shape = view.shape,
                                 .device = kernels::Device::Cpu};
        weight = m_ops.prepare(rows, kernels::WeightLayout::Packed, precision);
    }
    m_prepared.add(planned.format, static_cast<std::uint64_t>(view.shape.elements()));
    m_groups.add(group, m_options.precision, planned, weight->bytes());
    return weight;
}

kernels::Buffer WeightLoader::values(const std::string& name, std::int64_t rows,
                                     std::int64_t columns) {
    const TensorEntry& tensor = takeMatrix(name, kernels::Shape{rows, columns});
    if (m_options.isTrial) {
        return {};
    }
    kernels::Buffer buffer = kernels::Buffer::cpu(kernels::Format::F32, {rows, columns});
    const std::span numbers(buffer.view().f32(), static_cast<std::size_t>(rows * columns));
    kernels::dequantize(tensor.format, m_checkpoint.contents(tensor).data(), numbers);
    if (const float factor = takeFactors(tensor, 1).front(); factor != 1.0F) {
        std::ranges::for_each(numbers, [&](float& number) { number *= factor; });
    }
    releaseAfter(tensor);
    return buffer;
}

kernels::Buffer WeightLoader::readableVector(const std::string& name, std::int64_t length) {
    const TensorEntry& tensor = take(name, kernels::Shape{length});
    if (length % kernels::traits(tensor.format).blockElements != 0) {
        throw Failure(ErrorCode::Corrupt,
                      fmt::format("The tensor {} has {} elements, not whole blocks of {}.", name,
                                  length, kernels::traits(tensor.format).name));
    }
    kernels::Buffer buffer = kernels::Buffer::cpu(kernels::Format::F32, kernels::Shape{length});
    const std::span values(buffer.view().f32(), static_cast<std::size_t>(length));
    kernels::dequantize(tensor.format, m_checkpoint.contents(tensor).data(), values);
    if (tensor.bytes.empty()) { // made for us: nobody else needs it
        m_checkpoint.release(tensor);
    }
    return buffer;
}

kernels::Buffer WeightLoader::vector(const std::string& name, std::int64_t length) {
    kernels::Buffer readable = readableVector(name, length);
    if (m_ops.device() == kernels::Device::Cpu) {
        return readable;
    }
    kernels::Buffer buffer = m_ops.allocate(kernels::Format::F32, kernels::Shape{length});
    m_ops.copy(readable.view(), buffer.view());
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
    // How activations would be rounded to four bits, which no product here does.
    constexpr std::string_view kInputScale = ".input_scale";
    for (const TensorEntry& tensor : m_checkpoint.tensors()) {
        const bool isInputScale =
            tensor.name.ends_with(kInputScale) &&
            m_taken.contains(tensor.name.substr(0, tensor.name.size() - kInputScale.size()) +
                             ".weight");
        if (!m_taken.contains(tensor.name) && !isInputScale) {
            throw Failure(
                ErrorCode::Corrupt,
                fmt::format("The file holds a tensor {} that this architecture does not have: it "
                            "is another kind of model than it says.",
                            tensor.name));
        }
    }
}

void WeightLoader::FormatCounts::add(kernels::Format format, std::uint64_t elements) {
    const auto known =
        std::ranges::find(counts, format, &std::pair<kernels::Format, std::uint64_t>::first);
    if (known == counts.end()) {
        counts.emplace_back(format, elements);
    } else {
        known->second += elements;
    }
}

kernels::Format WeightLoader::FormatCounts::dominant() const {
    const auto most =
        std::ranges::max_element(counts, {}, &std::pair<kernels::Format, std::uint64_t>::second);
    return most == counts.end() ? kernels::Format::F32 : most->first;
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
    if (!m_taken.insert(name).second) {
        return *tensor; // another part of it
    }
    const auto elements = static_cast<std::uint64_t>(shape.elements());
    m_parameters += elements;
    m_elements.add(tensor->format, elements);
    return *tensor;
}

std::vector<float> WeightLoader::takeFactors(const TensorEntry& matrix, std::int64_t count) {
    std::vector<float> factors(static_cast<std::size_t>(count), 1.0F);
    const std::string name = besides(matrix.name, ".scale");
    const TensorEntry* tensor = m_checkpoint.find(name);
    if (tensor == nullptr) {
        return factors;
    }
    if (matrix.format != kernels::Format::NVFP4) {
        throw Failure(
            ErrorCode::Unsupported,
            fmt::format("The tensor {} scales {}, which is stored as {}: only matrices of "
                        "NVFP4 can have one.",
                        name, matrix.name, kernels::traits(matrix.format).name));
    }
    const bool isOne = tensor->shape.elements() == 1;
    const kernels::Buffer values = readableVector(name, isOne ? 1 : count);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        factors[i] = values.view().f32()[isOne ? 0 : i];
        if (!std::isfinite(factors[i])) {
            throw Failure(
                ErrorCode::Corrupt,
                fmt::format("The tensor {} holds {}, which scales nothing.", name, factors[i]));
        }
    }
    return factors;
}

void WeightLoader::releaseAfter(const TensorEntry& tensor) {
    if (m_options.layout == kernels::WeightLayout::Packed) {
        m_checkpoint.release(tensor);
    }
}

// Reads a byte of every page in pieces, so that a slow disk shows progress and can be stopped.
void WeightLoader::readPages(const TensorEntry& tensor) {
    if (m_options.isTrial) {
        return;
    }
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

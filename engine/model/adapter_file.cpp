#include "engine/model/adapter_file.h"

#include "engine/base/display_text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/header_digest.h"
#include "engine/checkpoint/model_folder.h"
#include "engine/model/adapter_source.h"
#include "engine/model/model.h"
#include "kernels/convert.h"
#include "kernels/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace engine {

namespace {

namespace fs = std::filesystem;
using kernels::Format;

bool isPlain(Format format) {
    return format == Format::F32 || format == Format::F16 || format == Format::BF16;
}

std::string text(const kernels::Shape& shape) {
    return fmt::format("[{}, {}]", shape[0], shape[1]);
}

// In the kinds that a product reads as they are; what is quantised becomes F32.
std::uint64_t keptBytes(const kernels::View& view) {
    const Format format = isPlain(view.format) ? view.format : Format::F32;
    return kernels::formatBytes(format, static_cast<std::size_t>(view.shape.elements()));
}

template <class Bits>
bool areFinite(const kernels::View& view, Bits exponent) {
    const auto* bytes = static_cast<const std::byte*>(view.data);
    for (std::int64_t i = 0; i < view.shape.elements(); ++i) {
        Bits bits;
        std::memcpy(&bits, bytes + static_cast<std::size_t>(i) * sizeof bits, sizeof bits);
        if ((bits & exponent) == exponent) {
            return false;
        }
    }
    return true;
}

bool areFinite(const kernels::View& view) {
    switch (view.format) {
    case Format::F16:
        return areFinite<std::uint16_t>(view, 0x7C00);
    case Format::BF16:
        return areFinite<std::uint16_t>(view, 0x7F80);
    default:
        return areFinite<std::uint32_t>(view, 0x7F800000);
    }
}

kernels::Buffer numbersOf(const AdapterSource& source, const StoredMatrix& matrix) {
    kernels::Buffer numbers;
    if (isPlain(matrix.view.format)) {
        numbers = kernels::Buffer::cpu(matrix.view.format, matrix.view.shape);
        std::memcpy(numbers.view().data, matrix.view.data, numbers.bytes());
    } else {
        kernels::ThreadPool pool(1);
        numbers = kernels::convertRows(matrix.view, Format::F32, pool);
    }
    if (!areFinite(numbers.view())) {
        refuseAdapter(source.what,
                      fmt::format("the tensor \"{}\" holds values that are no numbers",
                                  displayText(matrix.name)),
                      ErrorCode::Corrupt);
    }
    return numbers;
}

// Row 2i + j of a head is row j * half + i of the other order, and back.
enum class RowOrder : std::uint8_t { ToPairs, ToHalves };
kernels::Buffer reordered(const kernels::Buffer& rows, std::int64_t headDim, RowOrder order) {
    const kernels::View from = rows.view();
    kernels::Buffer result = kernels::Buffer::cpu(from.format, from.shape);
    const std::size_t length = from.bytes() / static_cast<std::size_t>(from.shape[0]);
    const auto rowAt = [length](const kernels::View& view, std::int64_t row) {
        return static_cast<std::byte*>(view.data) + static_cast<std::size_t>(row) * length;
    };
    for (std::int64_t row = 0; row < from.shape[0]; ++row) {
        const std::int64_t head = row - row % headDim;
        const std::int64_t paired = head + row % headDim;
        const std::int64_t halved = head + paired % 2 * (headDim / 2) + row % headDim / 2;
        const bool toPairs = order == RowOrder::ToPairs;
        std::memcpy(rowAt(result.view(), toPairs ? paired : halved),
                    rowAt(from, toPairs ? halved : paired), length);
    }
    return result;
}

// Where llama's files and this one differ in the order of q's and k's rows.
kernels::Buffer asModelHasIt(kernels::Buffer b, const std::string& site,
                             const AdapterSource& source, const AdapterBase& base) {
    const bool turns = site.ends_with(".attn_q") || site.ends_with(".attn_k");
    if (base.architecture != "llama" || !turns || source.hasPairs == base.hasPairs) {
        return b;
    }
    return reordered(b, base.headDim, base.hasPairs ? RowOrder::ToPairs : RowOrder::ToHalves);
}

// Both matrices, and as large as the projection wants them.
void checkPair(const AdapterSource& source, const std::string& site, const StoredPair& pair,
               const AdapterBase& base) {
    const auto fail = [&source](const std::string& problem) {
        refuseAdapter(source.what, problem, ErrorCode::Invalid);
    };
    if (!pair.a || !pair.b) {
        const StoredMatrix& there = pair.a ? *pair.a : *pair.b;
        fail(
            fmt::format("the other half of the tensor \"{}\" is missing", displayText(there.name)));
    }
    const auto wanted = std::ranges::find(base.sites, site, &ProjectionSite::name);
    if (wanted == base.sites.end()) {
        fail(fmt::format("the tensor \"{}\" adds to {}, which this model has not, or which no "
                         "adapter may change",
                         displayText(pair.a->name), displayText(site)));
    }
    const kernels::Shape& a = pair.a->view.shape;
    const kernels::Shape& b = pair.b->view.shape;
    const std::int64_t rank = a[0];
    if (rank < 1 || rank > kMostAdapterRank) {
        fail(fmt::format("the tensor \"{}\" is of rank {}; 1 to {} are supported",
                         displayText(pair.a->name), rank, kMostAdapterRank));
    }
    if (a[1] != wanted->columns || b[0] != wanted->rows || b[1] != rank) {
        fail(
            fmt::format("the tensors \"{}\" {} and \"{}\" {} do not fit {}, which is {} by {}: the "
                        "adapter is of another model",
                        displayText(pair.a->name), text(a), displayText(pair.b->name), text(b),
                        site, wanted->rows, wanted->columns));
    }
    if (source.rank && rank != *source.rank) {
        fail(fmt::format("the tensor \"{}\" is of rank {}, where {} is said",
                         displayText(pair.a->name), rank, *source.rank));
    }
}

float scaleOf(const AdapterSource& source, const StoredPair& pair) {
    if (pair.alpha == 0.0 && source.alphaIsOptional) {
        return 1.0F;
    }
    const auto rank = static_cast<double>(pair.a->view.shape[0]);
    const auto scale = static_cast<float>(
        pair.alpha / (source.rule == AlphaRule::ByRank ? rank : std::sqrt(rank)));
    if (!std::isfinite(scale) || scale == 0.0F) {
        refuseAdapter(
            source.what,
            fmt::format("an alpha of {} for rank {} makes an adapter that changes nothing "
                        "or everything",
                        pair.alpha, rank),
            ErrorCode::Invalid);
    }
    return scale;
}

std::string digestOf(const std::vector<AdapterMatrices>& matrices) {
    HeaderDigest digest;
    for (const AdapterMatrices& pair : matrices) {
        digest.add(std::as_bytes(std::span<const char>(pair.site)));
        digest.add(std::uint64_t{std::bit_cast<std::uint32_t>(pair.scale)});
        for (const kernels::Buffer* matrix : {&pair.a, &pair.b}) {
            const kernels::View view = matrix->view();
            digest.add(static_cast<std::uint64_t>(view.format));
            digest.add(static_cast<std::uint64_t>(view.shape[0]));
            digest.add({static_cast<const std::byte*>(view.data), view.bytes()});
        }
    }
    return digest.text();
}

AdapterSource openSource(const fs::path& path, const AdapterBase& base) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        const fs::path gguf = ggufOfFolder(path);
        const bool isPeft = fs::exists(path / "adapter_config.json", error) || gguf.empty();
        return isPeft ? readPeftAdapter(path, base) : readGgufAdapter(gguf, base);
    }
    return path.extension() == ".gguf" ? readGgufAdapter(path, base) : readPeftAdapter(path, base);
}

} // namespace

void refuseAdapter(const std::string& what, const std::string& problem, ErrorCode code) {
    throw Failure(code, fmt::format("{}: {}.", what, problem));
}

void addMatrix(AdapterSource& source, const std::string& site, bool isA, StoredMatrix matrix) {
    const kernels::View& view = matrix.view;
    if (view.shape.rank() != 2 || view.shape[0] < 1 || view.shape[1] < 1) {
        refuseAdapter(source.what,
                      fmt::format("the tensor \"{}\" is no matrix", displayText(matrix.name)),
                      ErrorCode::Corrupt);
    }
    if (!kernels::traits(view.format).isWeight) {
        refuseAdapter(source.what,
                      fmt::format("the tensor \"{}\" is in {}; F32, F16 and BF16 are "
                                  "supported",
                                  displayText(matrix.name), kernels::traits(view.format).name));
    }
    StoredPair& pair = source.pairs[site];
    std::optional<StoredMatrix>& place = isA ? pair.a : pair.b;
    if (place) {
        refuseAdapter(source.what,
                      fmt::format("the tensors \"{}\" and \"{}\" are the same one's",
                                  displayText(place->name), displayText(matrix.name)),
                      ErrorCode::Corrupt);
    }
    place = std::move(matrix);
}

AdapterBase adapterBaseOf(const ModelSpec& spec, const Checkpoint& checkpoint) {
    const auto pairing = checkpoint.text(spec.architecture + ".rope.pairing");
    return {.architecture = spec.architecture,
            .layers = spec.layers,
            .headDim = spec.headDim,
            .hasPairs = spec.architecture == "llama" && pairing != "half",
            .sites = spec.sites};
}

std::uint64_t AdapterFile::bytes() const {
    std::uint64_t sum = 0;
    for (const AdapterMatrices& pair : matrices) {
        sum += pair.a.bytes() + pair.b.bytes();
    }
    return sum;
}

AdapterFile readAdapterFile(const fs::path& path, const AdapterBase& base,
                            const std::function<void(std::uint64_t bytes)>& claim) {
    const AdapterSource source = openSource(path, base);
    if (source.pairs.empty()) {
        refuseAdapter(source.what, "it adds to nothing", ErrorCode::Invalid);
    }
    std::uint64_t needed = 0;
    for (const auto& [site, pair] : source.pairs) {
        checkPair(source, site, pair, base);
        needed += keptBytes(pair.a->view) + keptBytes(pair.b->view);
    }
    if (claim) {
        claim(needed);
    }
    AdapterFile file{.matrices = {}, .digest = {}, .name = source.what};
    for (const auto& [site, pair] : source.pairs) {
        file.matrices.push_back({.site = site,
                                 .a = numbersOf(source, *pair.a),
                                 .b = asModelHasIt(numbersOf(source, *pair.b), site, source, base),
                                 .scale = scaleOf(source, pair)});
    }
    if (!source.isWhole()) { // what was cut off reads as zeros
        refuseAdapter(source.what, "it became shorter or unreadable while it was read",
                      ErrorCode::Corrupt);
    }
    file.digest = digestOf(file.matrices);
    return file;
}

} // namespace engine

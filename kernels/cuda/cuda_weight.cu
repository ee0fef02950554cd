#include "kernels/block_codes.h"
#include "kernels/cuda/cuda_weight.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"
#include "kernels/half.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace kernels::cuda {

namespace {

// Rows are coded in pieces, so that a matrix is never twice in the CPU's memory.
constexpr std::size_t kPieceBytes = std::size_t{16} << 20;
constexpr std::size_t kAlignment = 256;

void checkWeight(const View& view) {
    const FormatTraits& format = traits(view.format);
    require(format.isWeight, "no product is computed with weights of " + std::string(format.name));
    require(view.device == Device::Cpu && view.shape.rank() == 2 && view.shape[0] >= 1 &&
                view.shape[1] >= 1 && view.data != nullptr && view.shape[0] <= INT32_MAX &&
                view.shape[1] <= INT32_MAX,
            "a weight matrix is [rows, columns] in CPU memory, both at least 1");
    require(view.shape[1] % format.blockElements == 0,
            "rows of " + std::string(format.name) + " are whole blocks of " +
                std::to_string(format.blockElements) + ", not " + std::to_string(view.shape[1]) +
                " columns");
    require(view.factor == 1.0F || view.format == Format::NVFP4,
            "a matrix of " + std::string(format.name) + " has no factor besides its own scales");
}

// Adds `bits` bits of the codes, from bit `from` on, to a plane as code_kind.h lays it out.
void addPlane(const std::uint8_t* codes, int from, int bits, std::uint8_t* plane) {
    if (bits == 8) {
        std::memcpy(plane, codes, kGroupColumns);
        return;
    }
    const int wordsTogether = 8 / bits; // code words that share one word of the plane
    for (int j = 0; j < kGroupColumns / 4; ++j) {
        for (int byte = 0; byte < 4; ++byte) {
            const int code = codes[4 * j + byte] >> from & ((1 << bits) - 1);
            std::uint8_t& out = plane[j / wordsTogether * 4 + byte];
            out = static_cast<std::uint8_t>(out | code << bits * (j % wordsTogether));
        }
    }
}

// Where the planes of a piece of rows lie.
struct Planes {
    std::uint8_t *main, *extra, *factors, *super;
};

void addFactors(const CodeKind& kind, const BlockFormula& formula, const BlockCodes& parts,
                int firstElement, float matrixFactor, std::uint8_t* out) {
    const auto put = [&](std::size_t at, const auto& value) {
        std::memcpy(out + at, &value, sizeof value);
    };
    for (int part = 0; part < kind.parts; ++part) {
        const int element = firstElement + part * kGroupColumns / kind.parts;
        const auto index = static_cast<std::size_t>(element / formula.groupElements);
        const auto at = static_cast<std::size_t>(part);
        switch (kind.factor) {
        case FactorKind::Half:
            put(2 * at, parts.halfScales[index]);
            break;
        case FactorKind::HalfMinimum:
            put(0, parts.halfScales[index]);
            put(2, parts.halfMinimum);
            break;
        case FactorKind::Super:
            put(at, parts.superScales[index]);
            break;
        case FactorKind::SuperMinimum:
            put(at, parts.superScales[index]);
            put(static_cast<std::size_t>(kind.parts) + at, parts.superMinimums[index]);
            break;
        case FactorKind::Exponent:
            put(at, parts.exponent);
            break;
        case FactorKind::Float:
            put(4 * at, groupScale(formula, parts, static_cast<int>(index)) * matrixFactor);
            break;
        }
    }
}

// One row of a file into the planes of its row.
void codeRow(const View& file, const CodeKind& kind, const std::byte* row, std::int64_t columns,
             Planes planes) {
    const FormatTraits& format = traits(file.format);
    const BlockFormula& formula = *blockFormula(file.format);
    BlockCodes parts;
    for (std::int64_t first = 0; first < columns; first += format.blockElements) {
        takeApart(file.format, row, parts);
        row += format.blockBytes;
        if (kind.bits == 8) { // signed
            for (int i = 0; i < format.blockElements; ++i) {
                parts.codes[static_cast<std::size_t>(i)] ^= 0x80U;
            }
        }
        for (int group = 0; group < format.blockElements / kGroupColumns; ++group) {
            const std::uint8_t* codes = parts.codes.data() + group * kGroupColumns;
            addPlane(codes, 0, mainBits(kind), planes.main);
            if (extraBits(kind) > 0) {
                addPlane(codes, mainBits(kind), extraBits(kind), planes.extra);
            }
            addFactors(kind, formula, parts, group * kGroupColumns, file.factor, planes.factors);
            planes.main += mainBytes(kind);
            planes.extra += extraBytes(kind);
            planes.factors += factorBytes(kind);
        }
        if (superBytes(kind) > 0) {
            std::memcpy(planes.super, parts.halfScales.data(), 2);
            if (superBytes(kind) == 4) {
                std::memcpy(planes.super + 2, &parts.halfMinimum, 2);
            }
            planes.super += superBytes(kind);
        }
    }
}

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void copyIn(std::byte* to, const void* from, std::size_t bytes, const Stream& stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.get()));
}

} // namespace

int codeKindOf(Format format, float factor) {
    switch (format) {
    case Format::Q4_0:
        return 0;
    case Format::Q4_1:
        return 1;
    case Format::Q5_0:
        return 2;
    case Format::Q5_1:
        return 3;
    case Format::Q8_0:
        return 4;
    case Format::Q2_K:
        return 5;
    case Format::Q3_K:
        return 6;
    case Format::Q4_K:
        return 7;
    case Format::Q5_K:
        return 8;
    case Format::Q6_K:
        return 9;
    case Format::IQ2_XXS:
    case Format::IQ3_XXS:
    case Format::IQ3_S:
        return 10;
    case Format::IQ2_XS:
    case Format::IQ2_S:
        return 11;
    case Format::IQ4_NL:
        return 12;
    case Format::IQ4_XS:
        return 13;
    case Format::MXFP4:
        return 14;
    case Format::NVFP4: // a scale of 16 columns times the factor fits into no half
        return factor == 1.0F ? 15 : 11;
    case Format::TQ1_0:
    case Format::TQ2_0:
        return 16;
    default:
        return -1;
    }
}

CudaWeight::CudaWeight(const View& fileWeight, ActivationPrecision precision, const Stream& stream,
                       ThreadPool& pool)
    : m_rows(fileWeight.shape[0]),
      m_columns(fileWeight.shape[1]),
      m_format(fileWeight.format),
      m_precision(precision),
      m_codeKind(codeKindOf(fileWeight.format, fileWeight.factor)) {
    checkWeight(fileWeight);
    if (isCoded()) {
        loadCodes(fileWeight, stream, pool);
    } else {
        loadNumbers(fileWeight, stream);
    }
    stream.wait(); // an error here is this weight's
}

void CudaWeight::loadCodes(const View& file, const Stream& stream, ThreadPool& pool) {
    const CodeKind& kind = kCodeKinds[m_codeKind];
    const BlockFormula& formula = *blockFormula(m_format);
    const auto rows = static_cast<std::size_t>(m_rows);
    const auto groups = static_cast<std::size_t>(m_columns) / kGroupColumns;
    const std::size_t rowBytes[] = {groups * mainBytes(kind), groups * extraBytes(kind),
                                    groups * factorBytes(kind),
                                    groups / kSuperGroups * superBytes(kind)};
    std::size_t offsets[4];
    std::size_t total = 0;
    std::size_t all = 0;
    for (int i = 0; i < 4; ++i) {
        offsets[i] = total;
        total += aligned(rows * rowBytes[i]);
        all += rowBytes[i];
    }
    m_memory = DeviceMemory(total);
    const auto* base = reinterpret_cast<const std::uint8_t*>(m_memory.data());
    m_codes = {.main = base + offsets[0],
               .extra = base + offsets[1],
               .factors = base + offsets[2],
               .super = base + offsets[3],
               .rows = static_cast<std::int32_t>(m_rows),
               .groups = static_cast<std::int32_t>(groups)};
    if (kind.usesTable) {
        std::memcpy(m_codes.table, formula.table, sizeof m_codes.table);
    }

    const std::size_t pieceRows = std::clamp<std::size_t>(kPieceBytes / all, 1, rows);
    const std::size_t fileRowBytes = formatBytes(m_format, static_cast<std::size_t>(m_columns));
    std::vector<std::uint8_t> piece;
    for (std::size_t first = 0; first < rows; first += pieceRows) {
        const std::size_t count = std::min(pieceRows, rows - first);
        piece.assign(count * all, 0);
        std::uint8_t* starts[4];
        starts[0] = piece.data();
        for (int i = 1; i < 4; ++i) {
            starts[i] = starts[i - 1] + count * rowBytes[i - 1];
        }
        pool.parallelFor(
            static_cast<std::int64_t>(count), 16, [&](std::int64_t begin, std::int64_t end, int) {
                for (auto row = static_cast<std::size_t>(begin);
                     row < static_cast<std::size_t>(end); ++row) {
                    codeRow(file, kind,
                            static_cast<const std::byte*>(file.data) + (first + row) * fileRowBytes,
                            m_columns,
                            {starts[0] + row * rowBytes[0], starts[1] + row * rowBytes[1],
                             starts[2] + row * rowBytes[2], starts[3] + row * rowBytes[3]});
                }
            });
        for (int i = 0; i < 4; ++i) {
            if (rowBytes[i] > 0) {
                copyIn(m_memory.data() + offsets[i] + first * rowBytes[i], starts[i],
                       count * rowBytes[i], stream);
            }
        }
    }
}

void CudaWeight::loadNumbers(const View& file, const Stream& stream) {
    switch (m_format) {
    case Format::F32:
        m_numberKind = NumberKind::F32;
        break;
    case Format::F16:
        m_numberKind = NumberKind::F16;
        break;
    case Format::BF16:
        m_numberKind = NumberKind::BF16;
        break;
    case Format::F8:
        m_numberKind = NumberKind::F8;
        break;
    default:
        throw std::invalid_argument("the CUDA backend has no products with weights of " +
                                    std::string(traits(m_format).name) +
                                    " yet: choose another precision or the CPU");
    }
    const auto element = static_cast<std::size_t>(traits(m_format).blockBytes);
    const std::size_t perVector = sizeof(uint4) / element;
    const auto columns = static_cast<std::size_t>(m_columns);
    const std::size_t stride = (columns + perVector - 1) / perVector * perVector;
    const std::size_t fileRow = weightRowBytes(m_format, columns);
    const auto rows = static_cast<std::size_t>(m_rows);
    const bool hasScales = m_format == Format::F8;
    const std::size_t scalesAt = aligned(rows * stride * element);
    m_memory = DeviceMemory(scalesAt + (hasScales ? rows * sizeof(float) : 0));
    m_numbers = {.values = m_memory.data(),
                 .scales = reinterpret_cast<const float*>(m_memory.data() + scalesAt),
                 .rows = static_cast<std::int32_t>(m_rows),
                 .columns = static_cast<std::int32_t>(m_columns),
                 .stride = static_cast<std::int32_t>(stride)};
    const auto* source = static_cast<const std::byte*>(file.data);
    if (stride * element == fileRow) {
        copyIn(m_memory.data(), source, rows * fileRow, stream);
        return;
    }
    const std::size_t pieceRows =
        std::clamp<std::size_t>(kPieceBytes / (stride * element), 1, rows);
    std::vector<std::byte> piece;
    std::vector<float> scales(hasScales ? rows : 0);
    for (std::size_t first = 0; first < rows; first += pieceRows) {
        const std::size_t count = std::min(pieceRows, rows - first);
        piece.assign(count * stride * element, std::byte{0});
        for (std::size_t row = 0; row < count; ++row) {
            const std::byte* from = source + (first + row) * fileRow;
            std::memcpy(piece.data() + row * stride * element, from, columns * element);
            if (hasScales) {
                std::memcpy(&scales[first + row], from + columns, sizeof(float));
            }
        }
        copyIn(m_memory.data() + first * stride * element, piece.data(), piece.size(), stream);
    }
    if (hasScales) {
        copyIn(m_memory.data() + scalesAt, scales.data(), rows * sizeof(float), stream);
    }
}

const CudaWeight& cudaWeight(const Weight& weight) {
    const auto* own = dynamic_cast<const CudaWeight*>(&weight);
    require(own != nullptr, "the weight was prepared for another device");
    return *own;
}

} // namespace kernels::cuda

#include "engine/checkpoint/gguf_layout.h"

#include "engine/base/display_text.h"
#include "engine/checkpoint/byte_reader.h"
#include "engine/checkpoint/gguf_metadata.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace engine::gguf {

namespace {

constexpr std::uint64_t kSmallestPair = 8 + 1 + 4 + 1;        // key, type, value
constexpr std::uint64_t kSmallestTensor = 8 + 1 + 4 + 8 + 12; // name, rank, one dimension, rest
constexpr std::uint64_t kMostTensors = std::uint64_t{1} << 20;
constexpr std::uint64_t kLongestName = 63; // the reference reader's
constexpr auto kMostElements = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

struct Header {
    std::uint64_t tensors = 0;
    std::uint64_t pairs = 0;
};

std::uint64_t takeCount(ByteReader& reader, std::string_view part, std::uint64_t smallest,
                        std::uint64_t most) {
    const auto count = reader.take<std::int64_t>(part);
    if (count < 0 || static_cast<std::uint64_t>(count) > reader.remaining() / smallest) {
        reader.fail(
            ErrorCode::Corrupt,
            fmt::format("the header claims {} {}; the file can't hold that many", count, part));
    }
    if (static_cast<std::uint64_t>(count) > most) {
        reader.fail(ErrorCode::TooLarge, fmt::format("{} {} are more than the {} that are "
                                                     "supported",
                                                     count, part, most));
    }
    return static_cast<std::uint64_t>(count);
}

Header takeHeader(ByteReader& reader) {
    if (reader.remaining() < kHeaderBytes) {
        reader.fail(ErrorCode::Corrupt, "the file is too short to be a GGUF file");
    }
    if (reader.take<std::uint32_t>("the magic number") != kMagic) {
        reader.fail(ErrorCode::Corrupt, "this is not a GGUF file");
    }
    const auto version = reader.take<std::uint32_t>("the version");
    if (version != 0 && (version & 0xFFFFU) == 0) {
        reader.fail(ErrorCode::Unsupported,
                    "this is a big-endian GGUF file; convert it to little-endian");
    }
    if (version < 2 || version > kVersion) {
        reader.fail(ErrorCode::Unsupported,
                    fmt::format("GGUF version {} is not supported, only 2 and 3; convert the model "
                                "again with a current converter",
                                version));
    }
    Header header;
    header.tensors = takeCount(reader, "tensors", kSmallestTensor, kMostTensors);
    header.pairs = takeCount(reader, "metadata pairs", kSmallestPair,
                             std::numeric_limits<std::uint64_t>::max());
    return header;
}

kernels::Shape shapeOf(std::span<const std::int64_t> innermostFirst) {
    const auto dim = [&](std::size_t i) { return innermostFirst[innermostFirst.size() - 1 - i]; };
    switch (innermostFirst.size()) {
    case 1:
        return {dim(0)};
    case 2:
        return {dim(0), dim(1)};
    case 3:
        return {dim(0), dim(1), dim(2)};
    default:
        return {dim(0), dim(1), dim(2), dim(3)};
    }
}

class TensorTableReader {
public:
    TensorTableReader(ByteReader& reader, Layout& layout) : m_reader(reader), m_layout(layout) {}

    void readAll(std::uint64_t count) {
        std::vector<std::uint64_t> offsets;
        for (std::uint64_t i = 0; i < count; ++i) {
            offsets.push_back(readOne(i));
        }
        place(offsets);
        rejectDuplicates();
    }

private:
    [[noreturn]] void fail(std::string_view name, const std::string& problem,
                           ErrorCode code = ErrorCode::Corrupt) const {
        m_reader.fail(code, fmt::format("tensor \"{}\" {}", displayText(name), problem));
    }

    // Reads one row of the table into the layout; returns its offset in the data part.
    std::uint64_t readOne(std::uint64_t index) {
        const auto part = fmt::format("the table entry of tensor {}", index);
        TensorRecord tensor;
        tensor.name = m_reader.takeString(part, kLongestName);
        if (tensor.name.empty() || tensor.name.find('\0') != std::string::npos) {
            m_reader.fail(ErrorCode::Corrupt, fmt::format("tensor {} has no usable name", index));
        }
        const auto rank = m_reader.take<std::uint32_t>(part);
        if (rank < 1 || rank > kernels::Shape::kMaxRank) {
            fail(tensor.name, fmt::format("has {} dimensions; 1 to 4 are allowed", rank));
        }
        std::array<std::int64_t, kernels::Shape::kMaxRank> dims{};
        const auto given = std::span(dims).first(rank);
        std::uint64_t elements = 1;
        for (std::int64_t& dim : given) {
            dim = m_reader.take<std::int64_t>(part);
            if (dim < 1) {
                fail(tensor.name, fmt::format("has a dimension of {}", dim));
            }
            if (static_cast<std::uint64_t>(dim) > kMostElements / elements) {
                fail(tensor.name, "has more than 2^63 elements");
            }
            elements *= static_cast<std::uint64_t>(dim);
        }
        tensor.type = takeTensorType(tensor.name, part);
        tensor.shape = shapeOf(given);
        tensor.bytes = bytesOf(tensor, elements, static_cast<std::uint64_t>(dims[0]));
        const auto offset = m_reader.take<std::uint64_t>(part);
        m_layout.tensors.push_back(std::move(tensor));
        return offset;
    }

    TensorType takeTensorType(std::string_view name, std::string_view part) {
        const auto id = m_reader.take<std::int32_t>(part);
        if (const auto type = tensorType(id)) {
            return *type;
        }
        const std::string_view known = kernels::unsupportedGgufTypeName(id);
        fail(name,
             known.empty()
                 ? fmt::format("has the unknown format {}", id)
                 : fmt::format("has format {}, which model files no longer or never hold", known),
             ErrorCode::Unsupported);
    }

    std::uint64_t bytesOf(const TensorRecord& tensor, std::uint64_t elements,
                          std::uint64_t row) const {
        if (row % tensor.type.blockElements != 0) {
            fail(tensor.name, fmt::format("has rows of {} elements; {} comes in blocks of {}", row,
                                          tensor.type.name, tensor.type.blockElements));
        }
        const std::uint64_t blocks = elements / tensor.type.blockElements;
        if (blocks > kMostElements / tensor.type.blockBytes) {
            fail(tensor.name, "takes more than 2^63 bytes");
        }
        return blocks * tensor.type.blockBytes;
    }

    // Offsets must be the running sum of padded sizes, as the reference reader wants them: so no
    // two tensors overlap and none lies outside the file.
    void place(std::span<const std::uint64_t> offsets) {
        const std::uint64_t fileBytes = m_reader.position() + m_reader.remaining();
        m_layout.dataBegin = padded(m_reader.position(), m_layout.alignment);
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            TensorRecord& tensor = m_layout.tensors[i];
            if (offsets[i] != expected) {
                fail(tensor.name, fmt::format("starts at offset {} instead of {}; tensors must "
                                              "follow each other without overlap or gap",
                                              offsets[i], expected));
            }
            const std::uint64_t begin = m_layout.dataBegin + expected; // both below the file's size
            if (begin > fileBytes || tensor.bytes > fileBytes - begin) {
                fail(
                    tensor.name,
                    fmt::format("ends behind the end of the file ({} bytes); the file is cut short",
                                fileBytes));
            }
            tensor.begin = begin;
            expected += padded(tensor.bytes, m_layout.alignment);
        }
    }

    void rejectDuplicates() const {
        std::unordered_set<std::string_view> names;
        for (const TensorRecord& tensor : m_layout.tensors) {
            if (!names.insert(tensor.name).second) {
                fail(tensor.name, "occurs twice");
            }
        }
    }

    ByteReader& m_reader;
    Layout& m_layout;
};

} // namespace

Layout parseLayout(std::span<const std::byte> file, const std::string& what) {
    ByteReader reader(file, what);
    const Header header = takeHeader(reader);
    Layout layout;
    readMetadata(reader, header.pairs, layout);
    TensorTableReader(reader, layout).readAll(header.tensors);
    return layout;
}

} // namespace engine::gguf

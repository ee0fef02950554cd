#include "engine/checkpoint/gguf_metadata.h"

#include "engine/base/display_text.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

namespace engine::gguf {

namespace {

constexpr std::uint64_t kLongestString = std::uint64_t{1} << 30; // limits of the reference reader
constexpr std::uint64_t kLongestArray = std::uint64_t{1} << 30;
constexpr std::uint64_t kLongestKey = 65535;
constexpr std::uint64_t kSmallestAlignment = 8; // so that every element is aligned to its size
constexpr std::uint64_t kLargestAlignment = 65536;
// What decoded metadata may take in memory; the largest vocabularies in use need a tenth of it.
constexpr std::uint64_t kDecodedLimit = std::uint64_t{512} << 20;
constexpr std::uint64_t kPairOverhead = 192; // of a key and its value, beside their text

class MetadataReader {
public:
    MetadataReader(ByteReader& reader, Layout& layout) : m_reader(reader), m_layout(layout) {}

    void readPair(std::uint64_t index) {
        const std::string_view key =
            m_reader.takeString(fmt::format("metadata key {}", index), kLongestKey);
        m_key = displayText(key);
        m_here = fmt::format("the value of \"{}\"", m_key);
        if (key.empty()) {
            fail(ErrorCode::Corrupt, fmt::format("metadata key {} is empty", index));
        }
        spend(kPairOverhead + 2 * key.size());
        const auto type = takeType();
        MetadataValue value = type == ValueType::Array ? takeArray() : takeScalar(type);
        if (key == "general.alignment") {
            m_layout.alignment = alignment(type, value);
        }
        if (!m_layout.metadata.try_emplace(std::string(key), std::move(value)).second) {
            fail(ErrorCode::Corrupt, fmt::format("key \"{}\" occurs twice", m_key));
        }
        m_layout.keys.emplace_back(key);
    }

private:
    [[noreturn]] void fail(ErrorCode code, const std::string& problem) const {
        m_reader.fail(code, problem);
    }

    // Made once a key: it is asked for with every element of an array.
    std::string_view here() const { return m_here; }

    void spend(std::uint64_t bytes) {
        if (bytes > kDecodedLimit - m_decoded) {
            fail(ErrorCode::TooLarge,
                 fmt::format("metadata up to key \"{}\" takes more than {} MiB", m_key,
                             kDecodedLimit >> 20));
        }
        m_decoded += bytes;
    }

    ValueType takeType() {
        const auto type = m_reader.take<std::int32_t>(here());
        if (type < 0 || type >= kValueTypes) {
            fail(ErrorCode::Corrupt,
                 fmt::format("key \"{}\" has the unknown value type {}", m_key, type));
        }
        return static_cast<ValueType>(type);
    }

    bool takeBool() {
        const auto byte = m_reader.take<std::uint8_t>(here());
        if (byte > 1) {
            fail(ErrorCode::Corrupt,
                 fmt::format("key \"{}\" is a truth value but holds {}", m_key, byte));
        }
        return byte == 1;
    }

    std::string takeText() {
        const std::string_view text = m_reader.takeString(here(), kLongestString);
        spend(sizeof(std::string) + (text.size() < sizeof(std::string) / 2 ? 0 : text.size()));
        return std::string(text);
    }

    MetadataValue takeScalar(ValueType type) {
        switch (type) {
        case ValueType::U8:
            return std::int64_t{m_reader.take<std::uint8_t>(here())};
        case ValueType::I8:
            return std::int64_t{m_reader.take<std::int8_t>(here())};
        case ValueType::U16:
            return std::int64_t{m_reader.take<std::uint16_t>(here())};
        case ValueType::I16:
            return std::int64_t{m_reader.take<std::int16_t>(here())};
        case ValueType::U32:
            return std::int64_t{m_reader.take<std::uint32_t>(here())};
        case ValueType::I32:
            return std::int64_t{m_reader.take<std::int32_t>(here())};
        case ValueType::U64:
            return m_reader.take<std::uint64_t>(here());
        case ValueType::I64:
            return m_reader.take<std::int64_t>(here());
        case ValueType::F32:
            return static_cast<double>(m_reader.take<float>(here()));
        case ValueType::F64:
            return m_reader.take<double>(here());
        case ValueType::Bool:
            return takeBool();
        case ValueType::String:
            return takeText();
        case ValueType::Array:
            break;
        }
        fail(ErrorCode::Corrupt, fmt::format("key \"{}\" is an array of arrays", m_key));
    }

    // The element count, believed only as far as the file can hold that many.
    std::uint64_t takeCount(std::uint64_t elementBytes) {
        const auto count = m_reader.take<std::uint64_t>(here());
        if (count > kLongestArray || count > m_reader.remaining() / elementBytes) {
            fail(ErrorCode::Corrupt,
                 fmt::format("the array \"{}\" claims {} elements; the file can't hold that many",
                             m_key, count));
        }
        return count;
    }

    template <class Stored, class Element>
    MetadataArray takeNumbers(std::uint64_t count) {
        spend(count * sizeof(Element));
        const auto bytes = m_reader.takeBytes(count * sizeof(Stored), here());
        std::vector<Element> numbers(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            Stored stored;
            std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
            if constexpr (std::is_same_v<Stored, std::uint64_t>) {
                if (stored > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                    fail(ErrorCode::Unsupported,
                         fmt::format("the array \"{}\" holds numbers above 2^63", m_key));
                }
            }
            numbers[i] = static_cast<Element>(stored);
        }
        return numbers;
    }

    MetadataArray takeBools() {
        const std::uint64_t count = takeCount(1);
        spend(count);
        std::vector<bool> values(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            values[i] = takeBool();
        }
        return values;
    }

    MetadataArray takeTexts() {
        const std::uint64_t count = takeCount(sizeof(std::uint64_t));
        spend(count * sizeof(std::string)); // before any of it is allocated
        m_decoded -= count * sizeof(std::string);
        std::vector<std::string> texts;
        texts.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            texts.push_back(takeText());
        }
        return texts;
    }

    MetadataValue takeArray() {
        switch (takeType()) {
        case ValueType::U8:
            return takeNumbers<std::uint8_t, std::int64_t>(takeCount(1));
        case ValueType::I8:
            return takeNumbers<std::int8_t, std::int64_t>(takeCount(1));
        case ValueType::U16:
            return takeNumbers<std::uint16_t, std::int64_t>(takeCount(2));
        case ValueType::I16:
            return takeNumbers<std::int16_t, std::int64_t>(takeCount(2));
        case ValueType::U32:
            return takeNumbers<std::uint32_t, std::int64_t>(takeCount(4));
        case ValueType::I32:
            return takeNumbers<std::int32_t, std::int64_t>(takeCount(4));
        case ValueType::U64:
            return takeNumbers<std::uint64_t, std::int64_t>(takeCount(8));
        case ValueType::I64:
            return takeNumbers<std::int64_t, std::int64_t>(takeCount(8));
        case ValueType::F32:
            return takeNumbers<float, double>(takeCount(4));
        case ValueType::F64:
            return takeNumbers<double, double>(takeCount(8));
        case ValueType::Bool:
            return takeBools();
        case ValueType::String:
            return takeTexts();
        case ValueType::Array:
            break;
        }
        fail(ErrorCode::Corrupt, fmt::format("key \"{}\" is an array of arrays", m_key));
    }

    std::uint64_t alignment(ValueType type, const MetadataValue& value) const {
        const auto* const number = std::get_if<std::int64_t>(&value);
        if (type != ValueType::U32 || number == nullptr) {
            fail(ErrorCode::Corrupt, "general.alignment is not a 32-bit number");
        }
        const auto bytes = static_cast<std::uint64_t>(*number);
        if (!std::has_single_bit(bytes) || bytes < kSmallestAlignment ||
            bytes > kLargestAlignment) {
            fail(ErrorCode::Corrupt,
                 fmt::format("general.alignment is {}; it must be a power of two from {} to {}",
                             bytes, kSmallestAlignment, kLargestAlignment));
        }
        return bytes;
    }

    ByteReader& m_reader;
    Layout& m_layout;
    std::string m_key; // of the pair being read, fit to show
    std::string m_here;
    std::uint64_t m_decoded = 0;
};

} // namespace

void readMetadata(ByteReader& reader, std::uint64_t count, Layout& layout) {
    MetadataReader metadata(reader, layout);
    for (std::uint64_t i = 0; i < count; ++i) {
        metadata.readPair(i);
    }
}

} // namespace engine::gguf

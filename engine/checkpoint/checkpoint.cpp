#include "engine/checkpoint/checkpoint.h"

#include <limits>

namespace engine {

std::span<const std::byte> Checkpoint::contents(const TensorEntry& tensor) const {
    return tensor.bytes;
}

std::span<const std::byte> Checkpoint::contents(const TensorEntry& tensor,
                                                std::int64_t index) const {
    const std::size_t bytes = tensor.bytes.size() / static_cast<std::size_t>(tensor.shape[0]);
    return tensor.bytes.subspan(static_cast<std::size_t>(index) * bytes, bytes);
}

std::optional<std::int64_t> Checkpoint::integer(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const auto* const number = std::get_if<std::int64_t>(value)) {
        return *number;
    }
    const auto* const wide = std::get_if<std::uint64_t>(value);
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return wide != nullptr && *wide <= kLargest ? std::optional(static_cast<std::int64_t>(*wide))
                                                : std::nullopt;
}

std::optional<double> Checkpoint::number(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const real = value == nullptr ? nullptr : std::get_if<double>(value);
    if (real != nullptr) {
        return *real;
    }
    const auto whole = integer(key);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> Checkpoint::boolean(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const truth = value == nullptr ? nullptr : std::get_if<bool>(value);
    return truth == nullptr ? std::nullopt : std::optional(*truth);
}

std::optional<std::string_view> Checkpoint::text(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const string = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return string == nullptr ? std::nullopt : std::optional<std::string_view>(*string);
}

namespace {

template <class Element>
const std::vector<Element>* arrayOf(const MetadataValue* value) {
    const auto* const array = value == nullptr ? nullptr : std::get_if<MetadataArray>(value);
    return array == nullptr ? nullptr : std::get_if<std::vector<Element>>(array);
}

} // namespace

const std::vector<std::string>* Checkpoint::strings(std::string_view key) const {
    return arrayOf<std::string>(metadata(key));
}

const std::vector<double>* Checkpoint::numbers(std::string_view key) const {
    return arrayOf<double>(metadata(key));
}

const std::vector<std::int64_t>* Checkpoint::integers(std::string_view key) const {
    return arrayOf<std::int64_t>(metadata(key));
}

} // namespace engine

#include "engine/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace engine {

namespace {

// A suffix that may follow a number, and what it multiplies by in the field's own unit.
struct Suffix {
    std::string_view fieldUnit;
    std::string_view text;
    double factor;
};

constexpr double kKibi = 1024.0;
constexpr std::array kSuffixes = {
    Suffix{"ms", "ms", 1.0},
    Suffix{"ms", "s", 1000.0},
    Suffix{"ms", "min", 60'000.0},
    Suffix{"ms", "h", 3'600'000.0},
    Suffix{"B", "B", 1.0},
    Suffix{"B", "KiB", kKibi},
    Suffix{"B", "MiB", kKibi* kKibi},
    Suffix{"B", "GiB", kKibi* kKibi* kKibi},
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string withUnit(const Field& field, std::int64_t value) {
    return field.unit.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, field.unit);
}

std::string joined(std::span<const std::string_view> choices) {
    return fmt::format("{}", fmt::join(choices, ", "));
}

Error invalid(std::string message) {
    return Error{.code = ErrorCode::Invalid, .message = std::move(message)};
}

// Suffixes the field's unit allows, for messages: "ms, s, min, h".
std::string suffixesOf(const Field& field) {
    std::string list;
    for (const Suffix& suffix : kSuffixes) {
        if (suffix.fieldUnit == field.unit) {
            list += (list.empty() ? "" : ", ") + std::string(suffix.text);
        }
    }
    return list;
}

// "16", "1.5 s", "2GiB" in the field's unit. Empty where it is no number of that unit.
std::optional<double> parseNumber(const Field& field, std::string_view text) {
    double value = 0.0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || !std::isfinite(value)) {
        return std::nullopt;
    }
    const std::string_view suffix = trimmed({end, text.data() + text.size()});
    if (suffix.empty() || (suffix == field.unit && suffixesOf(field).empty())) {
        return value;
    }
    for (const Suffix& known : kSuffixes) {
        if (known.fieldUnit == field.unit && known.text == suffix) {
            return value * known.factor;
        }
    }
    return std::nullopt;
}

Result<std::int64_t> parseInteger(const Field& field, std::string_view text) {
    const auto number = parseNumber(field, text);
    if (!number) {
        const std::string suffixes = suffixesOf(field);
        return std::unexpected(
            invalid(fmt::format("{}: \"{}\" is not a number{}.", field.label, text,
                                suffixes.empty() ? "" : fmt::format(" with one of {}", suffixes))));
    }
    const auto lowest = static_cast<double>(field.minimum);
    const auto highest = static_cast<double>(field.maximum);
    if (*number < lowest || *number > highest) {
        return std::unexpected(
            invalid(fmt::format("{} must be between {} and {}; the nearest allowed value is {}.",
                                field.label, field.minimum, withUnit(field, field.maximum),
                                *number < lowest ? field.minimum : field.maximum)));
    }
    if (*number != std::floor(*number)) {
        return std::unexpected(
            invalid(fmt::format("{} takes whole numbers; the nearest allowed value is {}.",
                                field.label, std::llround(*number))));
    }
    return static_cast<std::int64_t>(*number);
}

Result<std::int64_t> parseChoice(const Field& field, std::string_view text) {
    const auto found = std::ranges::find(field.choices, text);
    if (found == field.choices.end()) {
        return std::unexpected(invalid(
            fmt::format("{}: \"{}\" is not one of {}.", field.label, text, joined(field.choices))));
    }
    return found - field.choices.begin();
}

Result<std::int64_t> parseSwitch(const Field& field, std::string_view text) {
    constexpr std::array<std::string_view, 4> kOn = {"on", "true", "yes", "1"};
    constexpr std::array<std::string_view, 4> kOff = {"off", "false", "no", "0"};
    if (std::ranges::find(kOn, text) != kOn.end()) {
        return 1;
    }
    if (std::ranges::find(kOff, text) != kOff.end()) {
        return 0;
    }
    return std::unexpected(
        invalid(fmt::format("{}: \"{}\" is neither on nor off.", field.label, text)));
}

Result<void> validateField(const Field& field, const EngineConfig& config) {
    const std::int64_t value = field.get(config);
    if (value >= field.minimum && value <= field.maximum) {
        return {};
    }
    if (field.type == FieldType::Choice) {
        return std::unexpected(
            invalid(fmt::format("{} must be one of {}.", field.label, joined(field.choices))));
    }
    return std::unexpected(invalid(
        fmt::format("{} must be between {} and {}, not {}; the nearest allowed value is {}.",
                    field.label, field.minimum, withUnit(field, field.maximum), value,
                    std::clamp(value, field.minimum, field.maximum))));
}

// Rules across fields. Each says what to set, and to which value.
Result<void> validateTogether(const EngineConfig& config) {
    if (config.batching != Batching::Single && config.tokenBudget < config.maxBatch) {
        return std::unexpected(invalid(fmt::format(
            "A token budget of {} is too small for a max batch of {}: every running request takes "
            "a token a step. Set the token budget to {} or more, or the max batch to {} or less.",
            config.tokenBudget, config.maxBatch, config.maxBatch, config.tokenBudget)));
    }
    if (config.prefillChunk > config.tokenBudget) {
        return std::unexpected(invalid(fmt::format(
            "A prefill chunk of {} tokens does not fit the token budget of {}. Set the prefill "
            "chunk to {} or less, or the token budget to {} or more.",
            config.prefillChunk, config.tokenBudget, config.tokenBudget, config.prefillChunk)));
    }
    const ServingConfig& serving = config.serving;
    if (serving.level2Ms <= serving.level1Ms) {
        return std::unexpected(invalid(fmt::format(
            "Level 2 begins at {} ms, level 1 at {} ms: level 2 comes after level 1. Set level 2 "
            "to {} ms or more.",
            serving.level2Ms, serving.level1Ms, serving.level1Ms + 1)));
    }
    if (serving.healthyMs > serving.level1Ms) {
        return std::unexpected(invalid(fmt::format(
            "Healthy below {} ms is above level 1 at {} ms: the level would begin and end at once. "
            "Set it to {} ms or less.",
            serving.healthyMs, serving.level1Ms, serving.level1Ms)));
    }
    if (config.kvBlocks != 0 && config.kvBlocks < config.maxBatch) {
        return std::unexpected(invalid(fmt::format(
            "{} KV blocks are too few for a max batch of {}: every running request holds at least "
            "one. Set KV blocks to {} or more, or 0 to choose from memory.",
            config.kvBlocks, config.maxBatch, config.maxBatch)));
    }
    const KvPrecision keys =
        config.keyPrecision == KvPrecision::Auto ? config.kvPrecision : config.keyPrecision;
    if (keys == KvPrecision::INT4 && config.blockTokens < 32) {
        return std::unexpected(invalid(fmt::format(
            "Keys in INT4 are coded 32 tokens at a time, and KV blocks hold {}. Set the block size "
            "to 32 or more, or the key precision to int8.",
            config.blockTokens)));
    }
    if (config.kvBlocks != 0 && config.maxContext > config.kvBlocks * config.blockTokens) {
        const std::int64_t needed =
            (config.maxContext + config.blockTokens - 1) / config.blockTokens;
        return std::unexpected(invalid(fmt::format(
            "A context of {} tokens needs {} KV blocks of {} tokens, and there are {}. Set KV "
            "blocks to {} or more, or the max context to {} or less.",
            config.maxContext, needed, config.blockTokens, config.kvBlocks, needed,
            config.kvBlocks * config.blockTokens)));
    }
    return {};
}

} // namespace

const Field* findField(std::string_view keyOrFlag) {
    const auto fields = fieldTable();
    const auto found = std::ranges::find_if(fields, [keyOrFlag](const Field& field) {
        return field.key == keyOrFlag || field.flag == keyOrFlag;
    });
    return found == fields.end() ? nullptr : &*found;
}

std::string valueText(const Field& field, const EngineConfig& config) {
    const std::int64_t value = field.get(config);
    switch (field.type) {
    case FieldType::Choice:
        if (value >= 0 && value < std::ssize(field.choices)) {
            return std::string(field.choices[static_cast<std::size_t>(value)]);
        }
        break;
    case FieldType::Switch:
        return value != 0 ? "on" : "off";
    case FieldType::Integer:
        break;
    }
    return fmt::format("{}", value);
}

Result<void> setFromText(const Field& field, EngineConfig& config, std::string_view text) {
    const std::string_view word = trimmed(text);
    Result<std::int64_t> value;
    switch (field.type) {
    case FieldType::Choice:
        value = parseChoice(field, word);
        break;
    case FieldType::Switch:
        value = parseSwitch(field, word);
        break;
    case FieldType::Integer:
        value = parseInteger(field, word);
        break;
    }
    if (!value) {
        return std::unexpected(std::move(value.error()));
    }
    field.set(config, *value);
    return {};
}

Result<void> validate(const EngineConfig& config) {
    for (const Field& field : fieldTable()) {
        if (auto result = validateField(field, config); !result) {
            return result;
        }
    }
    return validateTogether(config);
}

std::vector<FieldChange> diff(const EngineConfig& before, const EngineConfig& after) {
    std::vector<FieldChange> changes;
    for (const Field& field : fieldTable()) {
        if (field.get(before) != field.get(after)) {
            changes.push_back(FieldChange{.key = std::string(field.key),
                                          .before = valueText(field, before),
                                          .after = valueText(field, after)});
        }
    }
    return changes;
}

std::string_view name(FieldState state) {
    constexpr std::array<std::string_view, 5> kNames = {"in force", "pending", "preparing", "held",
                                                        "unavailable"};
    return kNames[static_cast<std::size_t>(state)];
}

ConfigBox::ConfigBox(EngineConfig initial) : m_value(initial) {}

Result<void> ConfigBox::edit(const std::function<void(EngineConfig&)>& change) {
    // The lock is not held while `change` runs: it may look at this box. An edit that came in
    // between is not overwritten, the change is made again on top of it.
    for (;;) {
        const std::uint64_t seen = version();
        const EngineConfig present = value();
        EngineConfig edited = present;
        change(edited);
        if (auto result = validate(edited); !result) {
            return result;
        }
        const std::lock_guard lock(m_mutex);
        if (m_version.load(std::memory_order_relaxed) != seen) {
            continue;
        }
        if (edited != m_value) {
            m_value = edited;
            m_version.fetch_add(1, std::memory_order_release);
        }
        return {};
    }
}

EngineConfig ConfigBox::value() const {
    const std::lock_guard lock(m_mutex);
    return m_value;
}

} // namespace engine

#include "app/load/trace.h"

#include "app/load/draws.h"
#include "app/load/workload_limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace app {

namespace {

constexpr std::uintmax_t kMaxTraceBytes = 512ULL << 20U;
constexpr std::string_view kAzureHead = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::string_view kBurstHead =
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type";

// Thrown inside the reader, an Error at the door.
struct Damage {
    std::size_t line = 0;
    std::string message;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    return text;
}

std::vector<std::string_view> cells(std::string_view line) {
    std::vector<std::string_view> list;
    for (;;) {
        const auto comma = line.find(',');
        list.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return list;
        }
        line.remove_prefix(comma + 1);
    }
}

double numberOf(std::string_view text, std::string_view what, std::size_t line) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        throw Damage{line,
                     fmt::format("{} is \"{}\": it must be a number", what, text.substr(0, 40))};
    }
    return value;
}

int tokensOf(double value, std::string_view what, const WorkloadLimit& limit, std::size_t line) {
    if (value != std::floor(value) || value < 0 || value > limit.maximum) {
        throw Damage{line, fmt::format("{} is {}: allowed are whole numbers up to {}", what, value,
                                       limit.maximum)};
    }
    return static_cast<int>(value);
}

// Days since 1970 in the proleptic Gregorian calendar: Howard Hinnant, chrono-compatible date
// algorithms.
std::int64_t daysOf(std::int64_t year, int month, int day) {
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    const std::int64_t yearOfEra = year - era * 400;
    const std::int64_t dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

// "2023-11-16 18:01:51.1632340", with or without "+00:00": seconds, all of one zone.
double dateOf(std::string_view text, std::size_t line) {
    const auto bad = [&] {
        return Damage{line, fmt::format("the time is \"{}\": write it as 2023-11-16 18:01:51.16",
                                        text.substr(0, 40))};
    };
    const auto part = [&](std::size_t at, std::size_t length, char end) {
        int value = 0;
        if (text.size() < at + length) {
            throw bad();
        }
        const auto [stop, error] =
            std::from_chars(text.data() + at, text.data() + at + length, value);
        const bool hasEnd = end == '\0' || (text.size() > at + length && text[at + length] == end);
        if (error != std::errc{} || stop != text.data() + at + length || !hasEnd) {
            throw bad();
        }
        return value;
    };
    const int year = part(0, 4, '-'), month = part(5, 2, '-'), day = part(8, 2, '\0');
    const int hour = part(11, 2, ':'), minute = part(14, 2, ':');
    const auto zone = text.find_first_of("+Z", 17);
    const double seconds = numberOf(
        text.substr(17, zone == std::string_view::npos ? zone : zone - 17), "the second", line);
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || seconds < 0 ||
        seconds >= 61) {
        throw bad();
    }
    return static_cast<double>(daysOf(year, month, day)) * 86400 + hour * 3600 + minute * 60 +
           seconds;
}

struct Entry {
    double at = 0.0;
    int prompt = 0, output = 0;
};

std::optional<Entry> azureEntry(std::string_view line, std::size_t number) {
    const auto parts = cells(line);
    if (parts.size() != 3) {
        throw Damage{number, fmt::format("{} columns instead of 3", parts.size())};
    }
    return Entry{dateOf(parts[0], number),
                 tokensOf(numberOf(parts[1], "ContextTokens", number), "ContextTokens",
                          kPromptLimit, number),
                 tokensOf(numberOf(parts[2], "GeneratedTokens", number), "GeneratedTokens",
                          kOutputLimit, number)};
}

std::optional<Entry> burstEntry(std::string_view line, std::size_t number) {
    const auto parts = cells(line);
    if (parts.size() != 6) {
        throw Damage{number, fmt::format("{} columns instead of 6", parts.size())};
    }
    return Entry{numberOf(parts[0], "Timestamp", number),
                 tokensOf(numberOf(parts[2], "Request tokens", number), "Request tokens",
                          kPromptLimit, number),
                 tokensOf(numberOf(parts[3], "Response tokens", number), "Response tokens",
                          kOutputLimit, number)};
}

std::optional<Entry> mooncakeEntry(std::string_view line, std::size_t number) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) {
        throw Damage{number, "this line is no JSON object"};
    }
    const auto field = [&](const char* key) {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_number()) {
            throw Damage{number, fmt::format("{} is missing or no number", key)};
        }
        return found->get<double>();
    };
    return Entry{field("timestamp") / 1000.0,
                 tokensOf(field("input_length"), "input_length", kPromptLimit, number),
                 tokensOf(field("output_length"), "output_length", kOutputLimit, number)};
}

TraceKind kindOf(std::string_view first) {
    if (first == kAzureHead) {
        return TraceKind::Azure;
    }
    if (first == kBurstHead) {
        return TraceKind::BurstGpt;
    }
    if (first.starts_with('{')) {
        return TraceKind::Mooncake;
    }
    throw Damage{1, fmt::format("this is no trace that is known: its first line is neither \"{}\" "
                                "(Azure) nor \"{}\" (BurstGPT) nor a JSON object (Mooncake)",
                                kAzureHead, kBurstHead)};
}

Trace traceOf(std::string_view text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    text.remove_prefix(text.starts_with(kMark) ? kMark.size() : 0);
    Trace trace;
    std::vector<Entry> entries;
    std::optional<Entry> (*read)(std::string_view, std::size_t) = nullptr;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (read == nullptr) {
            trace.kind = kindOf(line);
            read = trace.kind == TraceKind::Azure      ? azureEntry
                   : trace.kind == TraceKind::BurstGpt ? burstEntry
                                                       : mooncakeEntry;
            if (trace.kind != TraceKind::Mooncake) {
                continue; // the head
            }
        }
        if (line.empty()) {
            continue;
        }
        const auto entry = read(line, number);
        if (entry->prompt < 1 || entry->output < 1) {
            ++trace.skipped;
        } else {
            entries.push_back(*entry);
        }
        if (static_cast<double>(entries.size()) > kMaxPlannedRequests) {
            throw Damage{number,
                         fmt::format("more than {} requests; cut the file", kMaxPlannedRequests)};
        }
    }
    if (entries.empty()) {
        throw Damage{0, "there is no request in it"};
    }
    std::ranges::stable_sort(entries, {}, &Entry::at);
    const std::vector<std::string> sets = promptSetNames();
    const Draws draws(42, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        trace.requests.push_back({.atSeconds = entries[i].at - entries.front().at,
                                  .stage = 0,
                                  .promptSet = sets[draws.bits(2 * i) % sets.size()],
                                  .promptTokens = entries[i].prompt,
                                  .draw = draws.bits(2 * i + 1),
                                  .maxTokens = entries[i].output,
                                  .seed = i});
    }
    return trace;
}

} // namespace

std::string_view name(TraceKind kind) {
    constexpr std::array<std::string_view, 3> kNames = {"Azure", "BurstGPT", "Mooncake"};
    return kNames[static_cast<std::size_t>(kind)];
}

double Trace::seconds() const {
    return requests.empty() ? 0.0 : requests.back().atSeconds;
}

engine::Result<Trace> parseTrace(std::string_view text, std::string_view sourceName) {
    try {
        return traceOf(text);
    } catch (const Damage& damage) {
        const std::string place = damage.line > 0 ? fmt::format("{}:{}", sourceName, damage.line)
                                                  : std::string(sourceName);
        return std::unexpected(engine::Error{engine::ErrorCode::Invalid,
                                             fmt::format("{}: {}.", place, damage.message)});
    }
}

engine::Result<Trace> loadTrace(const std::string& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound,
                          fmt::format("{} can't be read: {}.", file, error.message())});
    }
    if (size > kMaxTraceBytes) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::TooLarge,
            fmt::format("{} has {} bytes; cut it to {} or less.", file, size, kMaxTraceBytes)});
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return parseTrace(content.str(), std::filesystem::path(file).filename().string());
}

Workload traceWorkload(const Trace& trace, const std::string& traceName) {
    Workload workload;
    workload.name = traceName;
    const double seconds =
        std::clamp(trace.seconds() + 1.0, kSecondsLimit.minimum, kSecondsLimit.maximum);
    const double rate =
        std::clamp(static_cast<double>(trace.requests.size()) / seconds, 0.001, kRateLimit.maximum);
    workload.stages = {{.kind = ArrivalKind::Poisson,
                        .ratePerSecond = rate,
                        .endRatePerSecond = rate,
                        .seconds = seconds}};
    workload.promptSets = promptSetNames();
    const auto mix = [](const std::vector<PlannedRequest>& requests, int PlannedRequest::*member) {
        const auto [least, most] = std::ranges::minmax(requests, {}, member);
        return LengthMix{least.*member, most.*member};
    };
    workload.promptTokens = mix(trace.requests, &PlannedRequest::promptTokens);
    workload.outputTokens = mix(trace.requests, &PlannedRequest::maxTokens);
    return workload;
}

} // namespace app

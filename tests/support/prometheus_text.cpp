#include "tests/support/prometheus_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <regex>

namespace tests {

namespace {

const std::regex& sampleLine() {
    static const std::regex kLine(
        R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+))re");
    return kLine;
}

std::optional<double> numberOf(const std::string& text) {
    if (text == "+Inf") {
        return std::numeric_limits<double>::infinity();
    }
    double value = 0.0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

PrometheusLabels labelsOf(const std::string& text) {
    static const std::regex kLabel(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)")re");
    PrometheusLabels labels;
    for (std::sregex_iterator at(text.begin(), text.end(), kLabel), end; at != end; ++at) {
        labels[(*at)[1]] = (*at)[2];
    }
    return labels;
}

// The metric that a sample belongs to: a histogram's samples have endings.
std::string familyOf(const PrometheusText& parsed, const std::string& name) {
    for (const char* ending : {"_bucket", "_sum", "_count"}) {
        const std::string_view view(ending);
        if (name.ends_with(view)) {
            const std::string base = name.substr(0, name.size() - view.size());
            const auto type = parsed.types.find(base);
            if (type != parsed.types.end() && type->second == "histogram") {
                return base;
            }
        }
    }
    return name;
}

std::string checkHistogram(const PrometheusText& parsed, const std::string& name) {
    const auto buckets = parsed.samples.find(name + "_bucket");
    if (buckets == parsed.samples.end() || !parsed.samples.contains(name + "_sum") ||
        !parsed.samples.contains(name + "_count")) {
        return name + " lacks buckets, sum or count";
    }
    std::map<PrometheusLabels, std::map<double, double>> series;
    for (const auto& [labels, value] : buckets->second) {
        PrometheusLabels rest = labels;
        const auto edge = numberOf(rest["le"]);
        rest.erase("le");
        if (!edge) {
            return name + " has a bucket without an edge";
        }
        series[rest][*edge] = value;
    }
    for (const auto& [labels, edges] : series) {
        double before = 0.0;
        for (const auto& [edge, value] : edges) {
            if (value < before) {
                return name + " has buckets that fall";
            }
            before = value;
        }
        const auto count = parsed.samples.at(name + "_count").find(labels);
        if (!std::isinf(edges.rbegin()->first) ||
            count == parsed.samples.at(name + "_count").end() || count->second != before) {
            return name + " has a count that is not its last bucket";
        }
    }
    return {};
}

} // namespace

std::optional<double> PrometheusText::value(const std::string& name,
                                            const PrometheusLabels& labels) const {
    const auto found = samples.find(name);
    std::optional<double> result;
    if (found == samples.end()) {
        return result;
    }
    for (const auto& [own, value] : found->second) {
        bool isWanted = true;
        for (const auto& [key, text] : labels) {
            const auto label = own.find(key);
            isWanted = isWanted && label != own.end() && label->second == text;
        }
        if (isWanted) {
            if (result) {
                return std::nullopt;
            }
            result = value;
        }
    }
    return result;
}

PrometheusText parsePrometheus(std::string_view text) {
    PrometheusText parsed;
    const auto wrong = [&parsed](std::string message) {
        parsed.problem = std::move(message);
        return parsed;
    };
    if (text.empty() || text.back() != '\n') {
        return wrong("the last line does not end");
    }
    std::string family; // whose samples come now: they stand together
    std::map<std::string, bool> isClosed;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line(text.substr(at, end - at));
        at = end + 1;
        std::smatch match;
        static const std::regex kType(
            R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram))");
        static const std::regex kHelp(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+)");
        if (std::regex_match(line, kHelp)) {
            continue;
        }
        if (std::regex_match(line, match, kType)) {
            if (!parsed.types.emplace(match[1], match[2]).second) {
                return wrong("two types: " + line);
            }
            continue;
        }
        if (!std::regex_match(line, match, sampleLine())) {
            return wrong("no sample: " + line);
        }
        const std::string name = match[1];
        const std::string owner = familyOf(parsed, name);
        if (!parsed.types.contains(owner)) {
            return wrong("no type before " + line);
        }
        if (owner != family) {
            if (isClosed[owner]) {
                return wrong("samples apart: " + line);
            }
            isClosed[family] = true;
            family = owner;
        }
        const auto value = numberOf(match[3]);
        if (!value || !std::isfinite(*value)) {
            return wrong("no number: " + line);
        }
        if (!parsed.samples[name].emplace(labelsOf(match[2]), *value).second) {
            return wrong("twice: " + line);
        }
    }
    for (const auto& [name, type] : parsed.types) {
        if (type == "histogram") {
            if (const std::string problem = checkHistogram(parsed, name); !problem.empty()) {
                return wrong(problem);
            }
        } else if (!parsed.samples.contains(name)) {
            return wrong(name + " has no sample");
        }
    }
    return parsed;
}

} // namespace tests

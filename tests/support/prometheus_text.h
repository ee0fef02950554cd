// Reads the text format of Prometheus strictly: every departure from it is a problem.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tests {

using PrometheusLabels = std::map<std::string, std::string>;

struct PrometheusText {
    std::string problem; // of the first line that is wrong
    std::map<std::string, std::string> types;
    std::map<std::string, std::map<PrometheusLabels, double>> samples;

    // Of the only series that has these labels among others.
    std::optional<double> value(const std::string& name, const PrometheusLabels& labels = {}) const;
};

PrometheusText parsePrometheus(std::string_view text);

} // namespace tests

// Words and numbers of reports. Main thread (translations).
#pragma once

#include "app/compare/comparison.h"
#include "app/report/document.h"

#include <cstddef>
#include <string>
#include <vector>

namespace app::report {

QString translated(const char* english); // context "report"
QString text(std::string_view utf8);     // what is not UTF-8 becomes U+FFFD
QString capitalized(QString text);
QString dash(); // for what is absent

// Values in the measure's unit with the decimals that its size deserves.
QString valueText(const Measure& measure, std::optional<double> value);
QString signedText(const Measure& measure, double difference);
enum class Signs : std::uint8_t { WhereNegative, Always };
QString intervalText(const Interval& interval, Signs signs = Signs::WhereNegative);
QString rateText(std::optional<double> value); // absent: a dash // "13.2", "342"
QString countText(std::int64_t count);
QString signedPercentText(double share); // "+21", "-9.1"
QString measureLabel(const Measure& measure);
QString verdictLabel(Verdict verdict);
Tone verdictTone(Verdict verdict);

QString utcText(const std::string& isoUtc);     // "2026-11-30 14:31:07 UTC"
QString shortDigest(const std::string& digest); // "sha256 3e81...c04d"

// Shares of a whole in units of 10^-decimals percent that add up to 100 exactly: largest remainder.
// All zero for a whole of zero; negative parts count as zero.
std::vector<double> shares(const std::vector<double>& parts, int decimals = 1);

} // namespace app::report

// The sections of a report, each a function from data to blocks. Main thread (translations).
#pragma once

#include "app/compare/comparison.h"
#include "app/report/document.h"

#include <span>
#include <string_view>

namespace app::report {

struct RunSection {
    std::string_view key;
    Section (*make)(const RunData&); // without blocks: left out
};
std::span<const RunSection> runSections(); // in the order of the document

struct ComparisonSection {
    std::string_view key;
    Section (*make)(const RunData& a, const RunData& b, const Comparison& comparison);
};
std::span<const ComparisonSection> comparisonSections();

Document runDocument(const RunData& run);
Document comparisonDocument(const RunData& a, const RunData& b);

// The first page of a run.
Section resultSection(const RunData& run);
Section chartsSection(const RunData& run);
Section phasesSection(const RunData& run);
Section eventsSection(const RunData& run);
Section factsSection(const RunData& run);
// What is behind it.
Section settingsSection(const RunData& run);
Section changesSection(const RunData& run);
Section ledgerSection(const RunData& run);
Section outcomesSection(const RunData& run);
Section distributionsSection(const RunData& run);
Section moreChartsSection(const RunData& run);
Section methodsSection(const RunData& run);
// "CPU name, 2 threads, AVX-512 VNNI".
QString deviceText(const RunInfo& run);

} // namespace app::report

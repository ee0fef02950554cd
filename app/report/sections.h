// The sections of a report, each a function from data to blocks. Main thread (translations).
#pragma once

#include "app/compare/run_views.h"
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
    Section (*make)(const RunPair& pair);
};
std::span<const ComparisonSection> comparisonSections();

Document runDocument(const RunData& run);
Document comparisonDocument(const RunPair& pair); // of two runs, or of one that was cut
Document setDocument(const RunSet& set);

// Of comparisons: what two documents share.
QString runNumber(const RunData& run);
QString runName(const RunInfo& run);
QString changeText(const ComparisonRow& row); // "TTFT p50 fell from 205 to 30 ms [-183, -169]"
const ComparisonRow* rowOf(const Comparison& comparison, std::string_view metric);
// What spoils the comparison, a sentence each.
Bullets cautionBullets(const std::vector<std::string>& kinds);
// "off → on" where what was asked for was not what was in force.
Text settingValue(const std::string& field, const std::string& requested,
                  const std::string& effective);
Facts runFacts(const RunData& run);

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

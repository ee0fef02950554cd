// What every figure means: one table that tool tips, F1 and the Help page read. Names of figures,
// charts and measures lead to its rows. Main thread (translations).
#pragma once

#include <QString>

#include <span>
#include <string_view>

namespace app {

struct Definition {
    std::string_view key;  // "ttft"
    const char* name;      // English, translated in context "definitions"
    const char* formula;   // of stamps and counters; its words are translated
    const char* meaning;   // edges, which samples count
    const char* elsewhere; // what other tools call it or mean by it; empty where there is no trap
};
std::span<const Definition> definitions(); // in the order of the Help page
// By its key, or by a chart's or a measure's ("ttft_p50_ms"); null where there is none.
const Definition* findDefinition(std::string_view key);

QString definitionName(const Definition& definition);
QString definitionFormula(const Definition& definition);
QString definitionMeaning(const Definition& definition);
QString definitionElsewhere(const Definition& definition);
// All of it as rich text for a tool tip; empty for an unknown key.
QString definitionTip(std::string_view key);

} // namespace app

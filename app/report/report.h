// Reports of runs as HTML, PDF, Markdown, CSV and JSON. HTML, PDF and Markdown are in the chosen
// language (main thread); CSV and JSON have fixed names and no translation.
#pragma once

#include "app/compare/comparison.h"
#include "app/store/run_store.h"

#include <filesystem>
#include <string>

namespace app {

// One self-contained HTML file: SVG charts, no script, opens offline. One run, or the comparison of
// two.
std::string reportHtml(const RunData& run);
std::string reportHtml(const RunData& a, const RunData& b);
// The same document as PDF pages.
std::string reportPdf(const RunData& run);
std::string reportPdf(const RunData& a, const RunData& b);
// requests.csv, samples.csv, events.csv, settings.csv, summary.csv into the folder.
engine::Result<void> writeCsv(const RunData& run, const std::filesystem::path& folder);
std::string reportJson(const RunData& run); // one document: summary and everything behind it
// The same document back: everything but what follows from it (summary, history). What is missing
// or of another kind is refused by its place; nothing is half read.
engine::Result<RunData> parseRunJson(std::string_view json);
std::string reportMarkdown(const RunData& run);
std::string reportMarkdown(const RunData& a, const RunData& b);
// What `headway show --json` and `runs --json` print.
std::string summaryJson(const RunSummary& summary, bool withSettings);
std::string comparisonJson(const Comparison& comparison);

engine::Result<void> writeFile(const std::filesystem::path& file, std::string_view content);

} // namespace app

// Reports of runs as HTML, PDF, Markdown, CSV and JSON. HTML, PDF and Markdown are in the chosen
// language (main thread); CSV and JSON have fixed names and no translation.
#pragma once

#include "app/compare/run_views.h"
#include "app/store/run_store.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace app {

// One self-contained HTML file: SVG charts, no script, opens offline. One run, the comparison of
// two or of the sides of a cut, or three to five against the first of them.
std::string reportHtml(const RunData& run);
std::string reportHtml(const RunPair& pair);
std::string reportHtml(const RunSet& set);
// The same document as PDF pages.
std::string reportPdf(const RunData& run);
std::string reportPdf(const RunPair& pair);
std::string reportPdf(const RunSet& set);
// requests.csv, samples.csv, events.csv, settings.csv, summary.csv into the folder.
engine::Result<void> writeCsv(const RunData& run, const std::filesystem::path& folder);
// comparison.csv, a row a measure and a run that is held against the first one, and the tables of
// each run in a folder of its own: "run-7", for a cut run "run-7-1" and "run-7-2".
engine::Result<void> writeCsv(std::span<const std::shared_ptr<const RunData>> runs,
                              std::span<const Comparison> againstFirst,
                              const std::filesystem::path& folder);
std::string reportJson(const RunData& run); // one document: summary and everything behind it
// The same document back: everything but what follows from it (summary, history). What is missing
// or of another kind is refused by its place; nothing is half read.
engine::Result<RunData> parseRunJson(std::string_view json);
std::string reportMarkdown(const RunData& run);
std::string reportMarkdown(const RunPair& pair);
std::string reportMarkdown(const RunSet& set);
// What `headway show --json` and `runs --json` print.
std::string summaryJson(const RunSummary& summary, bool withSettings);
// The summaries of both, and b against a; of a cut run also where it was cut.
std::string comparisonJson(const RunPair& pair);
// The summaries of the runs, and each against the first: {"runs": [...], "against_first": [...]}.
std::string comparisonJson(const RunSet& set);

engine::Result<void> writeFile(const std::filesystem::path& file, std::string_view content);

} // namespace app

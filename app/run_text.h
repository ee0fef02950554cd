// A run in words and columns for a terminal: the summary that ends `headway load`, and the whole of
// `headway show`. English; any thread.
#pragma once

#include "app/store/run_store.h"

#include <string>

namespace app {

std::string runSummaryText(const RunSummary& summary, const std::filesystem::path& runLog);
std::string runDetailsText(const RunData& run); // settings and events
// "AMD EPYC 9B45, 2 threads, AVX-512 VNNI": what a reader needs to judge figures by; empty where
// nothing is recorded.
std::string machineText(const std::string& machineJson);
std::string runListText(const std::vector<RunSummary>& runs);

// "348", "19.1", "1,112": three significant digits, thousands separated; a dash for an absent one.
std::string figureText(const std::optional<double>& value);

} // namespace app

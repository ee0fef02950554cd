// The figures of a run without reading every request of it again: kept as JSON beside the run once
// it has ended, or made from what its pages tell while it is still long and recorded. Throws
// DatabaseFailure.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"
#include "app/store/summary.h"

namespace app {

// Fills the figures of `summary` where they were kept and nothing was added to the run since.
bool readFigures(const Database& database, RunSummary& summary);
void writeFigures(const Database& database, const RunSummary& summary);
// Newest run that has ended and whose tiers or figures are not complete.
std::optional<std::int64_t> runWithoutFigures(const Database& database);

// Of a run that is being recorded and has too many requests to be read every few seconds: counts,
// latencies and rates so far; no lag and no gaps between tokens.
RunSummary summaryOfPages(const Database& database, RunInfo info);

// Completes tiers and figures of ended runs, a bounded piece a call.
class FiguresJob {
public:
    // False: there is nothing left to do.
    bool advance(Database& database);

private:
    struct Reading {
        std::int64_t run = 0, last = 0;
        SummaryBuilder builder;
    };
    bool readSome(Database& database);

    std::optional<Reading> m_reading;
};

} // namespace app

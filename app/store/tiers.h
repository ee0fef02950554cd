// The tiers of a run: minutes of its seconds and pages of its requests, written as a run grows and
// read where a view shows more than it could draw. A log without them (older, read-only) reads the
// same, from the rows themselves. Throws DatabaseFailure.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"

#include <functional>

namespace app {

// Whole: minutes and pages that no more rows will join. Rest: what is left of a run that has ended.
enum class TierPart : std::uint8_t { Whole, Rest };

// Adds what the rows of the run have come to, at most a bounded piece. True: there may be more.
bool extendMinutes(const Database& database, std::int64_t run, TierPart part);
bool extendPages(const Database& database, std::int64_t run, TierPart part);

// Minutes, and one that stands for the seconds after the last of them. Of memory the highest value.
std::vector<Sample> readMinutes(const Database& database, std::int64_t run);
// The same as rows, with the metrics as they stood at the end of the minute.
std::vector<SampleRow> readMinuteRows(const Database& database, std::int64_t run);
std::vector<Sample> readSeconds(const Database& database, std::int64_t run, double from, double to);
// In order of finishing.
void readPoints(const Database& database, std::int64_t run,
                const std::function<void(const RequestPoint&)>& take);

// Rows of a run, without counting each.
RunSize sizeOf(const Database& database, std::int64_t run);

} // namespace app

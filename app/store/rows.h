// Rows of the run log as values, and values as rows. Each function prepares its statement for the
// columns that the log has, so an older or newer log reads with what it shares with this program.
// Throws DatabaseFailure.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"

#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace app {

class RequestWriter {
public:
    explicit RequestWriter(const Database& database);
    void write(std::int64_t run, std::int64_t n, const engine::RequestRecord& record,
               engine::TimePoint start);

private:
    Statement m_insert;
};

class SampleWriter {
public:
    explicit SampleWriter(const Database& database);
    void write(std::int64_t run, const SampleRow& row);

private:
    Statement m_insert;
};

void writeSettings(const Database& database, std::int64_t run, const std::vector<SettingRow>& rows);
void writeEvent(Statement& insert, std::int64_t run, std::int64_t sequence,
                const engine::Event& event, engine::TimePoint start);
Statement prepareEventInsert(const Database& database);

// In order of finishing; of all of a run by default.
struct RequestRange {
    std::int64_t after = 0; // their numbers are greater
    std::optional<std::int64_t> count = {};
    std::optional<std::pair<std::int64_t, std::int64_t>> spanNs = {}; // there at some time of it
};
void readRequests(const Database& database, std::int64_t run, const RequestRange& range,
                  const std::function<void(StoredRequest&&)>& take);
// Those in (after, upTo], ns.
std::vector<SampleRow> readSamples(const Database& database, std::int64_t run,
                                   std::int64_t after = -1,
                                   std::int64_t upTo = std::numeric_limits<std::int64_t>::max());
// One second by its time.
class SecondReader {
public:
    explicit SecondReader(const Database& database);
    std::optional<SampleRow> read(std::int64_t run, std::int64_t timeNs);

private:
    Statement m_select;
};
// Plain: without those that no chart, table or list of events shows (costs and ends of steps).
enum class EventChoice : std::uint8_t { All, Plain };
std::vector<StoredEvent> readEvents(const Database& database, std::int64_t run,
                                    EventChoice choice = EventChoice::All);
std::int64_t countEvents(const Database& database, std::int64_t run, std::string_view kind);
std::vector<SettingRow> readSettings(const Database& database, std::int64_t run);

} // namespace app

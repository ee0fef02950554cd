// Rows of the run log as values, and values as rows. Each function prepares its statement for the
// columns that the log has, so an older or newer log reads with what it shares with this program.
// Throws DatabaseFailure.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"

#include <functional>

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

void readRequests(const Database& database, std::int64_t run,
                  const std::function<void(StoredRequest&&)>& take);
std::vector<SampleRow> readSamples(const Database& database, std::int64_t run);
std::vector<StoredEvent> readEvents(const Database& database, std::int64_t run);
std::int64_t countEvents(const Database& database, std::int64_t run, std::string_view kind);
std::vector<SettingRow> readSettings(const Database& database, std::int64_t run);

} // namespace app

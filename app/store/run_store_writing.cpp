// What is written to the run log. See run_store.h.
#include "app/store/event_json.h"
#include "app/store/removal.h"
#include "app/store/rows.h"
#include "app/store/run_archive.h"
#include "app/store/run_rows.h"
#include "app/store/run_store_state.h"
#include "app/store/tiers.h"

#include <fmt/format.h>

#include <cmath>

namespace app {

engine::Result<void> RunStore::State::foundOne(Statement& changed, std::int64_t run) const {
    if (!changed.step()) {
        return std::unexpected(noSuchRun(run, store.file()));
    }
    changed.reset();
    return {};
}

RunStore::State::Numbers RunStore::State::numbersOf(std::int64_t run) const {
    if (const auto known = numbers.find(run); known != numbers.end()) {
        return known->second;
    }
    Statement last = store.database().prepare(
        "SELECT (SELECT COALESCE(MAX(n), 0) FROM request WHERE run_id = ?1),"
        " (SELECT COALESCE(MAX(seq), 0) FROM event WHERE run_id = ?1)");
    last.add(run);
    Numbers found;
    if (last.step()) {
        found.request = last.integer(0);
        found.event = last.integer(1);
    }
    return found;
}

engine::Result<std::int64_t> RunStore::beginRun(const RunInfo& info,
                                                const engine::ConfigStatus& config) {
    return m_state->written([&]() -> engine::Result<std::int64_t> {
        const std::int64_t run = insertRun(m_state->store.database(), info);
        m_state->numbers[run] = {};
        writeSettings(m_state->store.database(), run, settingRows(config, 0));
        return run;
    });
}

engine::Result<void> RunStore::append(std::int64_t run, engine::TimePoint start,
                                      const Batch& batch) {
    State::Numbers numbers;
    auto result = m_state->written([&]() -> engine::Result<void> {
        numbers = m_state->numbersOf(run);
        Database& database = m_state->store.database();
        RequestWriter requests(database);
        Statement events = prepareEventInsert(database);
        for (const engine::Event& event : batch.events) {
            if (const auto* finished = std::get_if<engine::RequestFinished>(&event.body)) {
                if (finished->record != nullptr) {
                    requests.write(run, ++numbers.request, *finished->record, start);
                }
            } else {
                writeEvent(events, run, ++numbers.event, event, start);
            }
        }
        SampleWriter samples(database);
        for (const SampleRow& row : batch.samples) {
            samples.write(run, row);
        }
        writeSettings(database, run, batch.settings);
        if (!batch.samples.empty()) {
            extendMinutes(database, run, TierPart::Whole);
        }
        if (numbers.request > 0) {
            extendPages(database, run, TierPart::Whole);
        }
        return {};
    });
    if (result) {
        m_state->numbers[run] = numbers;
    }
    return result;
}

engine::Result<void> RunStore::endRun(std::int64_t run, RunState state, double seconds,
                                      bool isIncomplete) {
    return m_state->written([&]() -> engine::Result<void> {
        Statement update = m_state->store.database().prepare(
            "UPDATE run SET state = ?, length_ns = ?, is_incomplete = ? WHERE id = ?");
        update.add(name(state)).add(static_cast<std::int64_t>(seconds * 1e9));
        update.add(std::int64_t{isIncomplete ? 1 : 0}).add(run).execute();
        m_state->numbers.erase(run);
        return {};
    });
}

engine::Result<void> RunStore::rename(std::int64_t run, const std::string& name,
                                      const std::string& note) {
    return m_state->written([&]() -> engine::Result<void> {
        Statement update = m_state->store.database().prepare(
            "UPDATE run SET name = ?, note = ? WHERE id = ? RETURNING id");
        update.add(name).add(note).add(run);
        return m_state->foundOne(update, run);
    });
}

engine::Result<void> RunStore::setTags(std::int64_t run, const std::vector<std::string>& tags) {
    return m_state->written([&]() -> engine::Result<void> {
        Database& database = m_state->store.database();
        Statement known = database.prepare("SELECT id FROM run WHERE id = ?");
        known.add(run);
        if (auto found = m_state->foundOne(known, run); !found) {
            return found;
        }
        Statement clear = database.prepare("DELETE FROM tag WHERE run_id = ?");
        clear.add(run).execute();
        Statement insert =
            database.prepare("INSERT OR IGNORE INTO tag (run_id, tag) VALUES (?, ?)");
        for (const std::string& tag : tags) {
            insert.add(run).add(std::string_view(tag)).execute();
        }
        return {};
    });
}

engine::Result<void> RunStore::beginRemove(std::int64_t run) {
    return m_state->written([&]() -> engine::Result<void> {
        if (!beginRemoval(m_state->store.database(), run)) {
            return std::unexpected(State::noSuchRun(run, m_state->store.file()));
        }
        m_state->numbers.erase(run);
        return {};
    });
}

engine::Result<void> RunStore::remove(std::int64_t run) {
    if (auto begun = beginRemove(run); !begun) {
        return begun;
    }
    for (bool isMore = true; isMore;) {
        auto some = m_state->written(
            [&]() -> engine::Result<bool> { return removeSomeRows(m_state->store.database()); });
        if (!some) {
            return std::unexpected(some.error());
        }
        isMore = *some;
    }
    return {};
}

engine::Result<bool> RunStore::tidySome() {
    auto removed = m_state->written(
        [&]() -> engine::Result<bool> { return removeSomeRows(m_state->store.database()); });
    if (!removed || *removed) {
        return removed;
    }
    return m_state->guarded([&]() -> engine::Result<bool> {
        return m_state->figures.advance(m_state->store.database());
    });
}

engine::Result<std::vector<std::int64_t>> RunStore::importRuns(const std::filesystem::path& other) {
    auto opened = StoreFile::open(other, StoreMode::ReadOnly);
    if (!opened) {
        return std::unexpected(opened.error());
    }
    return m_state->written([&]() -> engine::Result<std::vector<std::int64_t>> {
        const Transaction reading(opened->database(), TransactionKind::Read);
        return copyRuns(opened->database(), m_state->store.database(), std::nullopt);
    });
}

namespace {

void insertExperiment(Database& database, std::int64_t run, const std::string& name,
                      const std::string& toml) {
    Statement insert =
        database.prepare("INSERT INTO experiment(run_id, name, toml) VALUES (?, ?, ?)");
    insert.add(run).add(std::string_view(name)).add(std::string_view(toml)).execute();
}

void insertBlock(Database& database, std::int64_t run, const StoredBlock& block) {
    Statement insert =
        database.prepare("INSERT INTO experiment_block(run_id, number, from_ns, to_ns, block_json) "
                         "VALUES (?, ?, ?, ?, ?)");
    insert.add(run).add(block.number).add(block.fromNs).add(block.toNs);
    insert.add(std::string_view(block.json)).execute();
}

} // namespace

engine::Result<std::int64_t> RunStore::importRun(const RunData& data) {
    return m_state->written([&]() -> engine::Result<std::int64_t> {
        Database& database = m_state->store.database();
        const RunInfo& info = data.summary.run;
        Statement known = database.prepare("SELECT id FROM run WHERE uuid = ?");
        known.add(info.uuid);
        if (known.step()) {
            return std::unexpected(engine::Error{
                engine::ErrorCode::Busy,
                fmt::format("The run is in the log already, as run {}.", known.integer(0))});
        }
        known.reset();
        const std::int64_t run = insertRun(database, info);
        writeSettings(database, run, data.settings);
        RequestWriter requests(database);
        for (const StoredRequest& request : data.requests) {
            requests.write(run, request.n, request.record, engine::TimePoint{});
        }
        SampleWriter samples(database);
        for (const SampleRow& row : data.samples) {
            samples.write(run, row);
        }
        Statement events = prepareEventInsert(database);
        for (const StoredEvent& event : data.events) {
            writeEvent(events, run, event.sequence, eventOf(event), engine::TimePoint{});
        }
        Statement update = database.prepare(
            "UPDATE run SET state = ?, length_ns = ?, is_incomplete = ? WHERE id = ?");
        update.add(name(info.state)).add(std::int64_t{std::llround(info.seconds * 1e9)});
        update.add(std::int64_t{info.isIncomplete ? 1 : 0}).add(run).execute();
        if (data.experiment) {
            insertExperiment(database, run, data.experiment->name, data.experiment->toml);
            for (const StoredBlock& block : data.experiment->blocks) {
                insertBlock(database, run, block);
            }
        }
        return run;
    });
}

engine::Result<void> RunStore::addExperiment(std::int64_t run, const std::string& name,
                                             const std::string& toml) {
    return m_state->written([&]() -> engine::Result<void> {
        insertExperiment(m_state->store.database(), run, name, toml);
        return {};
    });
}

engine::Result<void> RunStore::addBlock(std::int64_t run, const StoredBlock& block) {
    return m_state->written([&]() -> engine::Result<void> {
        insertBlock(m_state->store.database(), run, block);
        return {};
    });
}

} // namespace app

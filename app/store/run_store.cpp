#include "app/store/run_store.h"

#include "app/observe/alarms.h"
#include "app/store/columns.h"
#include "app/store/event_json.h"
#include "app/store/rows.h"
#include "app/store/run_archive.h"
#include "app/store/run_rows.h"
#include "app/store/store_file.h"
#include "app/store/summary.h"

#include <QStandardPaths>

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

namespace app {

namespace {

engine::Error noSuchRun(std::int64_t run, const std::filesystem::path& file) {
    return {engine::ErrorCode::NotFound,
            fmt::format("There is no run {} in {}. List the runs to see what is there.", run,
                        file.string())};
}

} // namespace

// What charts are made of, in order of time: the window gets the same calls while a run goes on.
void fillHistory(RunData& data) {
    data.history.reset(engine::TimePoint{});
    for (const SampleRow& row : data.samples) {
        data.history.addSample(row.sample);
    }
    for (const StoredEvent& event : data.events) {
        data.history.addEvent(eventOf(event));
    }
    for (const StoredRequest& request : data.requests) {
        engine::Event finished;
        // Owned by the list, which outlives the call.
        finished.body = engine::RequestFinished{
            std::shared_ptr<const engine::RequestRecord>(std::shared_ptr<void>(), &request.record)};
        data.history.addEvent(finished);
    }
}

struct RunStore::State {
    explicit State(StoreFile opened) : store(std::move(opened)) {}

    // The door of every public function: the body returns a Result and may throw.
    template <class Body>
    auto guarded(Body body) const -> decltype(body()) {
        try {
            return body();
        } catch (const DatabaseFailure& failure) {
            return std::unexpected(describe(failure, store.file()));
        }
    }
    template <class Body>
    auto written(Body body) -> decltype(body()) {
        return guarded([&]() -> decltype(body()) {
            if (auto ready = store.prepareWrite(); !ready) {
                return std::unexpected(ready.error());
            }
            Transaction transaction(store.database());
            auto result = body();
            if (result) {
                transaction.commit();
            }
            return result;
        });
    }

    engine::Result<RunInfo> info(std::int64_t run) const;
    RunSummary summarize(RunInfo info, const std::vector<SettingRow>& settings) const;
    // After a statement that returns the id of the run it changed.
    engine::Result<void> foundOne(Statement& changed, std::int64_t run) const;

    // Numbers already used in a run that is being written.
    struct Numbers {
        std::int64_t request = 0, event = 0;
    };
    Numbers numbersOf(std::int64_t run) const;

    StoreFile store;
    std::unordered_map<std::int64_t, Numbers> numbers;
};

engine::Result<RunInfo> RunStore::State::info(std::int64_t run) const {
    std::vector<RunInfo> found = readRuns(store.database(), run);
    if (found.empty()) {
        return std::unexpected(noSuchRun(run, store.file()));
    }
    return std::move(found.front());
}

RunSummary RunStore::State::summarize(RunInfo info, const std::vector<SettingRow>& settings) const {
    const std::int64_t run = info.id;
    SummaryBuilder builder(std::move(info));
    readRequests(store.database(), run,
                 [&builder](StoredRequest&& request) { builder.add(request.record); });
    RunSummary summary = builder.finish(settings);
    summary.alarms = countEvents(store.database(), run, kAlarmRaised);
    return summary;
}

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

RunStore::RunStore(std::unique_ptr<State> state) : m_state(std::move(state)) {}

RunStore::~RunStore() = default;

engine::Result<std::unique_ptr<RunStore>> RunStore::open(const std::filesystem::path& file,
                                                         StoreMode mode) {
    auto opened = StoreFile::open(file, mode);
    if (!opened) {
        return std::unexpected(opened.error());
    }
    return std::unique_ptr<RunStore>(new RunStore(std::make_unique<State>(std::move(*opened))));
}

engine::Result<std::vector<RunSummary>> RunStore::runs() const {
    return m_state->guarded([this]() -> engine::Result<std::vector<RunSummary>> {
        const Transaction reading(m_state->store.database(), TransactionKind::Read);
        std::vector<RunSummary> list;
        for (RunInfo& info : readRuns(m_state->store.database())) {
            const auto settings = readSettings(m_state->store.database(), info.id);
            list.push_back(m_state->summarize(std::move(info), settings));
        }
        return list;
    });
}

engine::Result<RunSummary> RunStore::summary(std::int64_t run) const {
    return m_state->guarded([this, run]() -> engine::Result<RunSummary> {
        const Transaction reading(m_state->store.database(), TransactionKind::Read);
        auto info = m_state->info(run);
        if (!info) {
            return std::unexpected(info.error());
        }
        return m_state->summarize(std::move(*info), readSettings(m_state->store.database(), run));
    });
}

engine::Result<RunData> RunStore::load(std::int64_t run) const {
    return m_state->guarded([this, run]() -> engine::Result<RunData> {
        Database& database = m_state->store.database();
        const Transaction reading(database, TransactionKind::Read);
        auto info = m_state->info(run);
        if (!info) {
            return std::unexpected(info.error());
        }
        RunData data;
        data.settings = readSettings(database, run);
        SummaryBuilder builder(std::move(*info));
        readRequests(database, run, [&](StoredRequest&& request) {
            builder.add(request.record);
            data.requests.push_back(std::move(request));
        });
        data.summary = builder.finish(data.settings);
        data.summary.alarms = countEvents(database, run, kAlarmRaised);
        data.samples = readSamples(database, run);
        data.events = readEvents(database, run);
        data.digest = runDigest(database, run);
        fillHistory(data);
        return data;
    });
}

engine::Result<std::vector<StoredExperiment>> RunStore::experiments() const {
    return m_state->guarded([this]() -> engine::Result<std::vector<StoredExperiment>> {
        Database& database = m_state->store.database();
        const Transaction reading(database, TransactionKind::Read);
        std::vector<StoredExperiment> list;
        if (database.columns("experiment").empty()) {
            return list;
        }
        Statement each =
            database.prepare("SELECT run_id, name, toml FROM experiment ORDER BY run_id DESC");
        Statement blocks = database.prepare(
            "SELECT block_json FROM experiment_block WHERE run_id = ? ORDER BY number");
        while (each.step()) {
            std::vector<RunInfo> found = readRuns(database, each.integer(0));
            if (found.empty()) {
                continue;
            }
            StoredExperiment stored{.run = std::move(found.front()),
                                    .name = each.text(1),
                                    .toml = each.text(2),
                                    .blocks = {}};
            blocks.add(each.integer(0));
            while (blocks.step()) {
                stored.blocks.push_back(blocks.text(0));
            }
            blocks.reset();
            list.push_back(std::move(stored));
        }
        return list;
    });
}

std::vector<std::int64_t> RunStore::interruptedAtOpen() const {
    return m_state->store.interrupted();
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

engine::Result<void> RunStore::remove(std::int64_t run) {
    return m_state->written([&]() -> engine::Result<void> {
        Statement erase =
            m_state->store.database().prepare("DELETE FROM run WHERE id = ? RETURNING id");
        erase.add(run);
        return m_state->foundOne(erase, run);
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
        return run;
    });
}

engine::Result<void> RunStore::addExperiment(std::int64_t run, const std::string& name,
                                             const std::string& toml) {
    return m_state->written([&]() -> engine::Result<void> {
        Statement insert = m_state->store.database().prepare(
            "INSERT INTO experiment(run_id, name, toml) VALUES (?, ?, ?)");
        insert.add(run).add(std::string_view(name)).add(std::string_view(toml)).execute();
        return {};
    });
}

engine::Result<void> RunStore::addBlock(std::int64_t run, const StoredBlock& block) {
    return m_state->written([&]() -> engine::Result<void> {
        Statement insert = m_state->store.database().prepare(
            "INSERT INTO experiment_block(run_id, number, from_ns, to_ns, block_json) "
            "VALUES (?, ?, ?, ?, ?)");
        insert.add(run).add(block.number).add(block.fromNs).add(block.toNs);
        insert.add(std::string_view(block.json)).execute();
        return {};
    });
}

const std::filesystem::path& RunStore::file() const {
    return m_state->store.file();
}

std::filesystem::path defaultRunLog() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return std::filesystem::path(folder.toStdString()) / "headway" / "runs.db";
}

std::filesystem::path spareRunLog(const std::filesystem::path& file) {
    for (int number = 2;; ++number) {
        const std::filesystem::path spare =
            file.parent_path() /
            fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
        if (!std::filesystem::exists(spare)) {
            return spare;
        }
    }
}

std::vector<SettingRow> settingRows(const engine::ConfigStatus& config, std::int64_t timeNs) {
    std::vector<SettingRow> rows;
    for (const engine::FieldStatus& field : config.fields) {
        rows.push_back({.timeNs = timeNs,
                        .field = std::string(field.key),
                        .requested = field.requested,
                        .effective = field.effective,
                        .state = std::string(engine::name(field.state)),
                        .reason = field.reason});
    }
    return rows;
}

} // namespace app

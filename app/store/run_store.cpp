#include "app/store/run_store.h"

#include "app/observe/alarms.h"
#include "app/store/columns.h"
#include "app/store/event_json.h"
#include "app/store/rows.h"
#include "app/store/run_rows.h"
#include "app/store/run_store_state.h"
#include "app/store/summary.h"
#include "app/store/tiers.h"

#include <QStandardPaths>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace app {

engine::Error RunStore::State::noSuchRun(std::int64_t run, const std::filesystem::path& file) {
    return {engine::ErrorCode::NotFound,
            fmt::format("There is no run {} in {}. List the runs to see what is there.", run,
                        file.string())};
}

// What charts are made of, in order of time: the window gets the same calls while a run goes on.
void fillHistory(RunData& data) {
    data.history.reset(engine::TimePoint{}, HistoryBound::Whole,
                       data.hasMinutes ? kMinuteGrain : SampleGrain{});
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

void RunStore::State::markLeftOpen(std::vector<RunInfo>& runs, bool wasWritten) const {
    const auto isOpen = [](const RunInfo& run) { return run.state == RunState::Recording; };
    if (wasWritten || std::ranges::none_of(runs, isOpen) || store.isWritten()) {
        return;
    }
    for (RunInfo& run : runs) {
        run.state = isOpen(run) ? RunState::Interrupted : run.state;
    }
}

engine::Result<RunInfo> RunStore::State::info(std::int64_t run) const {
    const bool wasWritten = store.isWritten();
    std::vector<RunInfo> found = readRuns(store.database(), run);
    markLeftOpen(found, wasWritten);
    if (found.empty()) {
        return std::unexpected(State::noSuchRun(run, store.file()));
    }
    return std::move(found.front());
}

RunSummary RunStore::State::summarize(RunInfo info, const std::vector<SettingRow>& settings) const {
    constexpr std::int64_t kMostRead = 20'000;
    const std::int64_t run = info.id;
    const Database& database = store.database();
    RunSummary summary;
    summary.run = info;
    if (readFigures(database, summary)) {
        summary.settings = lastOfEachField(settings);
        return summary;
    }
    const bool isUnfinished =
        info.state == RunState::Recording || info.state == RunState::Interrupted;
    if (isUnfinished && sizeOf(database, run).requests > kMostRead) {
        summary = summaryOfPages(database, std::move(info));
        summary.settings = lastOfEachField(settings);
    } else {
        SummaryBuilder builder(std::move(info));
        readRequests(database, run, {},
                     [&builder](StoredRequest&& request) { builder.add(request.record); });
        summary = builder.finish(settings);
    }
    summary.alarms = countEvents(database, run, kAlarmRaised);
    return summary;
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
        const bool wasWritten = m_state->store.isWritten();
        std::vector<RunInfo> runs = readRuns(m_state->store.database());
        m_state->markLeftOpen(runs, wasWritten);
        for (RunInfo& info : runs) {
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

template <class Fill>
engine::Result<RunData> RunStore::State::read(std::int64_t run, Fill fill) const {
    return guarded([&]() -> engine::Result<RunData> {
        const Transaction reading(store.database(), TransactionKind::Read);
        auto found = info(run);
        if (!found) {
            return std::unexpected(found.error());
        }
        RunData data;
        data.settings = readSettings(store.database(), run);
        fill(data, std::move(*found));
        return data;
    });
}

namespace {

std::optional<StoredExperiment> readExperiment(const Database& database, RunInfo run) {
    if (database.columns("experiment").empty()) { // of a log from before there were any
        return std::nullopt;
    }
    Statement row = database.prepare("SELECT name, toml FROM experiment WHERE run_id = ?");
    row.add(run.id);
    if (!row.step()) {
        return std::nullopt;
    }
    StoredExperiment stored{
        .run = std::move(run), .name = row.text(0), .toml = row.text(1), .blocks = {}};
    Statement blocks = database.prepare("SELECT number, from_ns, to_ns, block_json FROM "
                                        "experiment_block WHERE run_id = ? ORDER BY number");
    blocks.add(stored.run.id);
    while (blocks.step()) {
        stored.blocks.push_back({.number = blocks.integer(0),
                                 .fromNs = blocks.integer(1),
                                 .toNs = blocks.integer(2),
                                 .json = blocks.text(3)});
    }
    return stored;
}

} // namespace

engine::Result<RunData> RunStore::load(std::int64_t run) const {
    const Database& database = m_state->store.database();
    return m_state->read(run, [&](RunData& data, RunInfo info) {
        SummaryBuilder builder(std::move(info));
        readRequests(database, run, {}, [&](StoredRequest&& request) {
            builder.add(request.record);
            data.requests.push_back(std::move(request));
        });
        data.summary = builder.finish(data.settings);
        data.summary.alarms = countEvents(database, run, kAlarmRaised);
        data.hasMinutes = sizeOf(database, run).samples > kMostSeconds;
        data.samples = data.hasMinutes ? readMinuteRows(database, run) : readSamples(database, run);
        data.events = readEvents(database, run);
        data.digest = runDigest(database, run);
        data.experiment = readExperiment(database, data.summary.run);
        fillHistory(data);
    });
}

engine::Result<RunData> RunStore::overview(std::int64_t run) const {
    const Database& database = m_state->store.database();
    return m_state->read(run, [&](RunData& data, RunInfo info) {
        data.isWhole = false;
        data.summary = m_state->summarize(std::move(info), data.settings);
        data.events = readEvents(database, run, EventChoice::Plain);
        data.history.reset(engine::TimePoint{}, HistoryBound::Whole, kMinuteGrain);
        for (const StoredEvent& event : data.events) {
            data.history.addEvent(eventOf(event));
        }
        for (const Sample& sample : readMinutes(database, run)) {
            data.history.addSample(sample);
        }
        readPoints(database, run,
                   [&data](const RequestPoint& point) { data.history.addRequest(point); });
    });
}

engine::Result<RunData> RunStore::loadSpan(std::int64_t run, double from, double to) const {
    const Database& database = m_state->store.database();
    const std::int64_t fromNs = std::llround(from * 1e9), toNs = std::llround(to * 1e9);
    return m_state->read(run, [&](RunData& data, RunInfo info) {
        data.summary.run = std::move(info);
        readRequests(
            database, run, {.spanNs = std::pair(fromNs, toNs)},
            [&data](StoredRequest&& request) { data.requests.push_back(std::move(request)); });
        data.samples = readSamples(database, run, fromNs, toNs);
        data.events = readEvents(database, run);
        fillHistory(data);
    });
}

engine::Result<std::vector<Sample>> RunStore::seconds(std::int64_t run, double from,
                                                      double to) const {
    return m_state->guarded([&]() -> engine::Result<std::vector<Sample>> {
        return readSeconds(m_state->store.database(), run, from, to);
    });
}

engine::Result<RunSize> RunStore::size(std::int64_t run) const {
    return m_state->guarded(
        [&]() -> engine::Result<RunSize> { return sizeOf(m_state->store.database(), run); });
}

engine::Result<std::vector<StoredExperiment>> RunStore::experiments() const {
    return m_state->guarded([this]() -> engine::Result<std::vector<StoredExperiment>> {
        Database& database = m_state->store.database();
        const bool wasWritten = m_state->store.isWritten();
        const Transaction reading(database, TransactionKind::Read);
        std::vector<StoredExperiment> list;
        if (database.columns("experiment").empty()) {
            return list;
        }
        Statement each = database.prepare("SELECT run_id FROM experiment ORDER BY run_id DESC");
        while (each.step()) {
            std::vector<RunInfo> found = readRuns(database, each.integer(0));
            if (found.empty()) {
                continue;
            }
            m_state->markLeftOpen(found, wasWritten);
            list.push_back(*readExperiment(database, std::move(found.front())));
        }
        return list;
    });
}

std::vector<std::int64_t> RunStore::interruptedAtOpen() const {
    return m_state->store.interrupted();
}

const std::filesystem::path& RunStore::file() const {
    return m_state->store.file();
}

std::filesystem::path defaultRunLog() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return std::filesystem::path(folder.toStdString()) / "headway" / "runs.db";
}

engine::Result<std::unique_ptr<RunStore>> openSpareRunLog(const std::filesystem::path& file) {
    constexpr int kMost = 10'000;
    for (int number = 2; number < kMost; ++number) {
        const std::filesystem::path spare =
            file.parent_path() /
            fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
        std::error_code ignored;
        if (std::filesystem::exists(spare, ignored)) {
            continue;
        }
        // Several programs may look for a name at once: whoever gets the lock has it.
        auto opened = RunStore::open(spare, StoreMode::Write);
        if (opened || opened.error().code != engine::ErrorCode::Busy) {
            return opened;
        }
    }
    return std::unexpected(engine::Error{
        engine::ErrorCode::Io,
        fmt::format("There is no free name beside {}. Record to another file.", file.string())});
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

#include "app/experiment/experiment_run.h"

#include <QTimer>

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

using engine::Clock;
using engine::TimePoint;

constexpr std::chrono::milliseconds kTick{20};
constexpr std::chrono::seconds kSwitchPatience{300}; // weights may have to be prepared
// Records come by way of the recorder, which passes them on twenty times a second.
constexpr std::chrono::milliseconds kCollectPatience{2000};
constexpr double kCalibrationSeconds = 12.0;

engine::Error error(engine::ErrorCode code, std::string message) {
    return {code, std::move(message)};
}

} // namespace

ExperimentRun::ExperimentRun(Session& session, Experiment experiment, QObject* parent)
    : ExperimentRun(session, std::move(experiment), composeBackend, parent) {}

ExperimentRun::ExperimentRun(Session& session, Experiment experiment, BackendMaker maker,
                             QObject* parent)
    : QObject(parent),
      m_session(session),
      m_experiment(std::move(experiment)),
      m_maker(std::move(maker)),
      m_timer(new QTimer(this)) {
    connect(m_timer, &QTimer::timeout, this, &ExperimentRun::tick);
    connect(&m_session, &Session::eventHappened, this, &ExperimentRun::takeEvent);
    connect(&m_session, &Session::backendLeaving, this, [this] {
        m_work.reset(); // it sends to the engine that goes
        m_isEngineGone = isRunning();
    });
    connect(&m_session, &Session::modelChanged, this, [this] {
        if (isRunning() && m_isEngineGone) { // not where loading was only cancelled
            end(ExperimentPhase::Stopped, tr("Another model was loaded."));
        }
    });
}

ExperimentRun::~ExperimentRun() {
    if (isRunning()) {
        m_work.reset();
        end(ExperimentPhase::Stopped);
    }
}

bool ExperimentRun::isRunning() const {
    return m_phase != ExperimentPhase::Ready && m_phase < ExperimentPhase::Finished;
}

// Sides take turns, round by round, until every planned block was measured or the rule to stop is
// met at the end of a round.
bool ExperimentRun::planBlock() {
    if (m_schedule) {
        const auto next = m_schedule(m_blocks);
        m_block = next.value_or(m_block);
        return next.has_value();
    }
    const auto sides = static_cast<int>(m_experiment.sides.size());
    m_block = {.side = m_next % sides,
               .round = m_next / sides,
               .measureSeconds = m_experiment.measureSeconds};
    if (m_next >= m_experiment.blocks) {
        return false;
    }
    if (m_block.side == 0 && mayStop(m_experiment, m_verdict)) {
        m_message = tr("The interval was narrow enough.");
        return false;
    }
    return true;
}

engine::Result<void> ExperimentRun::start() {
    if (auto valid = validateExperiment(m_experiment); !valid) {
        return valid;
    }
    const engine::Capabilities capabilities = m_session.capabilities();
    if (const auto need = missingNeed(m_experiment, &capabilities)) {
        return std::unexpected(
            error(engine::ErrorCode::Unsupported,
                  fmt::format("{} can't run here: it needs {}.", m_experiment.title, *need)));
    }
    for (const std::string& key : variedFields(m_experiment)) {
        const engine::Field* field = engine::findField(key);
        if (field != nullptr && field->takesEffect == engine::TakesEffect::Reload &&
            m_experiment.method != Method::Load) {
            return std::unexpected(
                error(engine::ErrorCode::Unsupported,
                      fmt::format("{} takes effect when the model is loaded; give the experiment "
                                  "method = \"load\".",
                                  key)));
        }
    }
    const auto library = PromptLibrary::fromResources();
    if (!library) {
        return std::unexpected(library.error());
    }
    std::vector<PlannedRequest> requests;
    for (int round = 0; round < m_experiment.rounds(); ++round) {
        const auto list =
            planRequests(*workloadOf(m_experiment, m_experiment.sides.front(), round, 1.0));
        requests.insert(requests.end(), list.begin(), list.end());
    }
    m_digest = requestListDigest(requests, *library);
    RunInfo info;
    info.name = m_experiment.title;
    info.workloadName = m_experiment.name;
    info.requestDigest = m_digest;
    info.seed = m_experiment.workload.seed;
    info.tags = {"experiment"};
    if (auto begun = m_session.beginExperiment(std::move(info), experimentToml(m_experiment));
        !begun) {
        return begun;
    }
    m_run = m_session.currentRun();
    m_original = m_session.config().requested;
    m_target = {m_session.serviceTtftMs(), m_session.serviceTpotMs()};
    m_isCalibrated = m_experiment.saturation <= 0.0 || m_isRateKnown;
    if (!m_blocks.empty()) {
        std::ranges::for_each(m_blocks, [this](const Block& block) { recordBlock(block); });
        m_verdict = evaluate(m_experiment, m_blocks);
    }
    m_timer->start(kTick);
    if (planBlock()) {
        beginBlock();
    } else {
        end(ExperimentPhase::Finished);
    }
    return {};
}

void ExperimentRun::stop() {
    if (!isRunning()) {
        return;
    }
    if (m_work && m_phase != ExperimentPhase::Switching) {
        // The block counts where it was measured whole: only its answers are cut.
        m_message = tr("Stopped; what was measured is kept.");
        m_work->stop();
        setPhase(ExperimentPhase::Draining);
    } else {
        end(ExperimentPhase::Stopped, tr("Stopped; what was measured is kept."));
    }
}

double ExperimentRun::secondsLeft() const {
    if (!isRunning()) {
        return 0.0;
    }
    const double each = m_blocks.empty() ? m_experiment.blockSeconds()
                                         : (m_blocks.back().end - m_blocks.front().begin) /
                                               static_cast<double>(m_blocks.size());
    const double spent = runSeconds(Clock::now()) - m_blockBegin;
    return std::max(0.0, (m_experiment.blocks - m_next) * each - spent);
}

double ExperimentRun::runSeconds(TimePoint time) const {
    return std::chrono::duration<double>(time - m_session.history().start()).count();
}

void ExperimentRun::setPhase(ExperimentPhase phase) {
    m_phase = phase;
    m_since = Clock::now();
    Q_EMIT changed();
}

SettingTexts ExperimentRun::settingsOf(int side) const {
    SettingTexts settings = m_experiment.workload.settings;
    for (const auto& setting : m_experiment.sides[static_cast<std::size_t>(side)].settings) {
        if (!setting.first.starts_with("workload.")) {
            settings.push_back(setting);
        }
    }
    return settings;
}

// One edit for all of them: rules across fields see the whole.
engine::Result<void> ExperimentRun::apply(const SettingTexts& settings) {
    engine::EngineConfig wanted = m_original;
    // What comes and goes by itself would be part of what is compared, unless it varies: levels,
    // and checks that follow a change of precision.
    for (const char* const key : {"degradation.mode", "quality.check"}) {
        if (auto set = engine::setFromText(*engine::findField(key), wanted, "off"); !set) {
            return set;
        }
    }
    for (const auto& [key, value] : settings) {
        const engine::Field* field = engine::findField(key);
        if (field == nullptr) {
            return std::unexpected(error(engine::ErrorCode::NotFound,
                                         fmt::format("This build has no setting \"{}\".", key)));
        }
        if (auto set = engine::setFromText(*field, wanted, value); !set) {
            return set;
        }
    }
    return m_session.edit([&wanted](engine::EngineConfig& config) { config = wanted; });
}

void ExperimentRun::beginBlock() {
    m_work.reset();
    m_records.clear();
    m_blockBegin = runSeconds(Clock::now());
    setPhase(ExperimentPhase::Switching);
    if (m_experiment.method == Method::Load) {
        return; // the second copy has the settings
    }
    if (auto applied = apply(settingsOf(side())); !applied) {
        fail(applied.error());
    }
}

void ExperimentRun::continueSwitching() {
    const engine::ConfigStatus status = m_session.config();
    for (const engine::FieldStatus& field : status.fields) {
        const bool isOurs = std::ranges::any_of(
            settingsOf(side()), [&](const auto& setting) { return setting.first == field.key; });
        if (!isOurs || m_experiment.method == Method::Load || field.requested == field.effective) {
            continue;
        }
        const bool isHopeless = field.state == engine::FieldState::Unavailable;
        const bool isUnderWay = field.state == engine::FieldState::Preparing;
        if (isHopeless || (!isUnderWay && Clock::now() - m_since > kSwitchPatience)) {
            end(ExperimentPhase::Failed,
                tr("%1 = %2 did not take effect: %3")
                    .arg(QString::fromUtf8(field.key.data(), qsizetype(field.key.size())),
                         QString::fromStdString(field.requested),
                         QString::fromStdString(field.reason)));
            return;
        }
        if (field.state != engine::FieldState::InForce) {
            return;
        }
    }
    const engine::Snapshot snapshot = m_session.backend()->capabilities().modelName.empty()
                                          ? engine::Snapshot{}
                                          : m_session.snapshot();
    const bool isEmpty = snapshot.running == 0 && snapshot.waiting == 0;
    const bool hasPatience =
        Clock::now() - m_since < std::chrono::duration<double>(m_experiment.drainSeconds);
    if (isEmpty || !hasPatience) {
        startWork();
    }
}

void ExperimentRun::startWork() {
    const Side& now = m_experiment.sides[static_cast<std::size_t>(side())];
    auto workload = workloadOf(m_experiment, now, m_block.round, m_rateFactor);
    if (!workload) {
        fail(workload.error());
        return;
    }
    workload->stages.front().seconds = m_experiment.warmupSeconds + m_block.measureSeconds;
    WorkSetup setup{.backend = m_session.backend(),
                    .workload = *workload,
                    .warmupSeconds = m_experiment.warmupSeconds,
                    .measureSeconds = m_block.measureSeconds,
                    .maker = m_maker,
                    .model = m_session.modelFile(),
                    .config = m_original};
    for (const auto& [key, value] : now.settings) {
        setup.isTyped = setup.isTyped || (key == "workload.typed" && value == "on");
        if (key == "workload.tenants") {
            setup.tenants = value == "copies" ? Tenants::Copies : Tenants::Adapters;
        }
    }
    if (m_experiment.method == Method::Load) {
        for (const auto& [key, value] : settingsOf(side())) {
            if (const engine::Field* field = engine::findField(key)) {
                engine::setFromText(*field, setup.config, value).value();
            }
        }
    }
    if (!m_isCalibrated) {
        Stage& stage = setup.workload.stages.front();
        stage.kind = ArrivalKind::Closed;
        stage.users = static_cast<int>(2 * m_session.config().effective.maxBatch);
        stage.seconds = std::min(kCalibrationSeconds, m_experiment.blockSeconds());
        setup.warmupSeconds = stage.seconds / 4;
        setup.measureSeconds = stage.seconds - setup.warmupSeconds;
    }
    m_session.resetPrefixCache();
    auto work = makeBlockWork(m_experiment.method, std::move(setup));
    if (!work) {
        fail(work.error());
        return;
    }
    m_work = std::move(*work);
    m_records.clear();
    m_workBegin = Clock::now();
    m_edits.clear();
    m_foreign = 0;
    m_clocks.clear();
    m_timesAtBegin = processorTimes();
    m_timesAtEnd.reset();
    m_collectUntil = {};
    m_work->start();
    setPhase(!m_isCalibrated                    ? ExperimentPhase::Calibrating
             : m_experiment.warmupSeconds > 0.0 ? ExperimentPhase::WarmingUp
                                                : ExperimentPhase::Measuring);
}

void ExperimentRun::tick() {
    if (!isRunning()) {
        return;
    }
    if (m_run && m_session.currentRun() != m_run) {
        m_work.reset();
        end(ExperimentPhase::Stopped, tr("Recording was ended; what was measured is kept."));
    } else if (m_phase == ExperimentPhase::Switching) {
        continueSwitching();
    } else {
        watchMachine();
        watchWork();
    }
}

void ExperimentRun::watchWork() {
    const TimePoint now = Clock::now();
    const TimePoint to = m_work->measuredTo();
    if (m_phase == ExperimentPhase::WarmingUp &&
        now - m_since >= std::chrono::duration<double>(m_experiment.warmupSeconds)) {
        setPhase(ExperimentPhase::Measuring);
    }
    if (!m_work->isFinished()) {
        if (m_phase == ExperimentPhase::Measuring && now >= to) {
            setPhase(ExperimentPhase::Draining);
        }
        const bool isLate =
            now > to + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(m_experiment.drainSeconds));
        if (isLate && m_experiment.method == Method::Traffic) {
            m_work->stop(); // what is left counts as unfinished
        }
        return;
    }
    if (m_collectUntil == TimePoint{}) {
        m_collectUntil = now + kCollectPatience;
    }
    const bool hasAll = static_cast<std::int64_t>(m_records.size()) >= m_work->outcome().ended;
    if (hasAll || now >= m_collectUntil) {
        closeBlock();
    }
}

void ExperimentRun::finishCalibration(const WorkOutcome& outcome) {
    const auto figures =
        measureBlock(m_records, {.from = outcome.from, .to = outcome.to, .lane = {}});
    const auto rate = figures.find("requests_per_s");
    if (rate == figures.end() || rate->second.value <= 0.0) {
        end(ExperimentPhase::Failed,
            tr("No request was answered while measuring what the engine can do."));
        return;
    }
    m_rateFactor = m_experiment.saturation * rate->second.value;
    m_isRateKnown = true;
    m_isCalibrated = true;
    beginBlock();
}

void ExperimentRun::closeBlock() {
    const WorkOutcome outcome = m_work->outcome();
    if (!outcome.problem.empty()) {
        fail(error(engine::ErrorCode::Internal, outcome.problem));
        return;
    }
    if (!m_timesAtEnd) {
        m_timesAtEnd = processorTimes();
    }
    const bool wasStopped = !m_message.isEmpty();
    if (!m_isCalibrated) {
        wasStopped ? end(ExperimentPhase::Stopped, m_message) : finishCalibration(outcome);
        return;
    }
    const MeasuredWindow window{.from = outcome.from,
                                .to = outcome.to,
                                .lane = m_experiment.lane,
                                .sloTtftMs = m_target.first,
                                .sloTpotMs = m_target.second,
                                .takesIdleStarts = m_experiment.method == Method::Typing};
    Block block{.number = m_next + 1,
                .round = m_block.round,
                .side = side(),
                .begin = m_blockBegin,
                .from = runSeconds(outcome.from),
                .to = runSeconds(outcome.to),
                .end = runSeconds(Clock::now()),
                .isWhole = outcome.isWhole,
                .figures = outcome.figures,
                .contamination = contamination(outcome, window)};
    if (m_experiment.method == Method::Traffic || m_experiment.method == Method::Typing) {
        block.figures.merge(measureBlock(m_records, window));
        if (const auto kept = keptKv(m_session.snapshot())) {
            block.figures.emplace("kept_kv_percent", *kept);
        }
    }
    recordBlock(block);
    m_blocks.push_back(std::move(block));
    m_verdict = evaluate(m_experiment, m_blocks);
    ++m_next;
    if (wasStopped) {
        end(ExperimentPhase::Stopped, m_message);
    } else if (planBlock()) {
        beginBlock();
    } else {
        end(ExperimentPhase::Finished, m_message);
    }
}

void ExperimentRun::fail(const engine::Error& failure) {
    end(ExperimentPhase::Failed, QString::fromStdString(failure.message));
}

void ExperimentRun::end(ExperimentPhase phase, QString message) {
    m_timer->stop();
    m_message = std::move(message);
    m_work.reset();
    if (m_session.hasModel() && m_experiment.method != Method::Load) {
        // Refused only by a model that went away, whose settings went with it.
        const auto restored =
            m_session.edit([this](engine::EngineConfig& config) { config = m_original; });
        if (!restored) {
            m_message += QStringLiteral(" ") + QString::fromStdString(restored.error().message);
        }
    }
    m_session.endExperiment(phase == ExperimentPhase::Finished  ? RunState::Finished
                            : phase == ExperimentPhase::Stopped ? RunState::Interrupted
                                                                : RunState::Failed);
    setPhase(phase);
    Q_EMIT finished();
}

} // namespace app

#include "engine/loop/quality_checker.h"

#include "engine/base/deadline.h"
#include "engine/base/failure.h"
#include "engine/loop/memory_reading.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

// More nats a token than the reference's own answer costs: nobody would have written this.
constexpr double kGarbledLoss = 4.0;
constexpr double kGarbledPerplexity = 0.5;

// Fewer say nothing, unless more were not asked for.
constexpr std::int64_t kLeastTokens = 512;

// A tenth of the weight of a thread that serves requests; threads started from here inherit it.
void stepBack() {
    constexpr int kNice = 10;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

std::unique_ptr<Evaluator> open(const std::filesystem::path& path, const EvaluatorOptions& options,
                                const std::stop_token& stop) {
    auto opened = openEvaluator(path, options, {}, stop);
    if (!opened) {
        throw Failure(opened.error().code, opened.error().message);
    }
    return std::move(*opened);
}

void addNumber(Notice& notice, std::string name, double value, int digits) {
    if (std::isfinite(value)) {
        notice.values.emplace_back(std::move(name), fmt::format("{:.{}f}", value, digits));
    }
}

void addInterval(Notice& notice, const std::string& name, const Interval& interval, double factor) {
    constexpr int kDigits = 5;
    addNumber(notice, name, interval.value * factor, kDigits);
    if (interval.low && interval.high) {
        addNumber(notice, name + "_low", *interval.low * factor, kDigits);
        addNumber(notice, name + "_high", *interval.high * factor, kDigits);
    }
}

} // namespace

bool isGarbled(const QualityFigures& figures, const std::vector<CanaryLoss>& losses) {
    return figures.perplexityChange.value > kGarbledPerplexity ||
           std::ranges::any_of(losses, [](const CanaryLoss& canary) {
               return !(canary.loss - canary.referenceLoss <= kGarbledLoss);
           });
}

Notice qualityNotice(const QualityFigures& figures, const std::vector<CanaryLoss>& losses) {
    Notice notice{.kind = "quality_checked", .values = {}};
    notice.values.emplace_back("tokens", fmt::format("{}", figures.tokens));
    addNumber(notice, "perplexity", figures.perplexity, 4);
    addNumber(notice, "reference_perplexity", figures.referencePerplexity, 4);
    addInterval(notice, "perplexity_change_percent", figures.perplexityChange, 100.0);
    addInterval(notice, "mean_kl", figures.meanKl, 1.0);
    addInterval(notice, "top_agreement_percent", figures.topAgreement, 100.0);
    for (const CanaryLoss& canary : losses) {
        addNumber(notice, "canary_" + canary.name, canary.loss - canary.referenceLoss, 3);
    }
    notice.values.emplace_back("garbled", isGarbled(figures, losses) ? "yes" : "no");
    return notice;
}

QualityChecker::QualityChecker(std::shared_ptr<MemoryClaims> memory,
                               std::function<void(Notice)> tell)
    : m_memory(std::move(memory)),
      m_tell(std::move(tell)),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

QualityChecker::~QualityChecker() {
    cancel();
    m_thread.request_stop();
    m_changed.notify_all();
}

void QualityChecker::order(QualityOrder order) {
    const std::lock_guard lock(m_mutex);
    m_checking.request_stop();
    m_order = std::move(order);
    m_changed.notify_all();
}

void QualityChecker::cancel() {
    const std::lock_guard lock(m_mutex);
    m_order.reset();
    m_checking.request_stop();
}

void QualityChecker::trust(const EngineConfig& config) {
    const std::lock_guard lock(m_mutex);
    m_order.reset();
    m_checking.request_stop();
    m_trusted = config;
}

// With what has changed since answers were known to be good, for whoever takes it back. Under the
// lock.
void QualityChecker::conclude(Notice& notice, const EngineConfig& config) {
    const auto changes = changesOfNumbers(diff(m_trusted, config), config.attention);
    std::string all;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const FieldChange& change = changes[i];
        const std::string number = i == 0 ? std::string() : fmt::format("_{}", i + 1);
        all += fmt::format("{}{} {} -> {}", i == 0 ? "" : ", ", change.key, change.before,
                           change.after);
        notice.values.emplace_back("field" + number, change.key);
        notice.values.emplace_back("before" + number, change.before);
        notice.values.emplace_back("after" + number, change.after);
    }
    notice.values.emplace_back("change", all);
    if (std::ranges::find(notice.values, std::pair<std::string, std::string>("garbled", "no")) !=
        notice.values.end()) {
        m_trusted = config;
    }
}

void QualityChecker::run(const std::stop_token& stop) {
    stepBack();
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        m_changed.wait(lock, stop, [this] { return m_order.has_value(); });
        if (!m_order) {
            continue;
        }
        const QualityOrder order = std::move(*m_order);
        m_order.reset();
        m_checking = std::stop_source();
        const std::stop_token checking = m_checking.get_token();
        lock.unlock();
        Notice notice;
        const auto done = atTheDoor([&] { notice = check(order, checking); });
        if (!done) {
            notice = {.kind = "quality_unchecked", .values = {{"reason", done.error().message}}};
        }
        lock.lock();
        if (checking.stop_requested()) {
            continue;
        }
        conclude(notice, order.config);
        m_tell(std::move(notice)); // under the lock: nothing is told once a newer change is ordered
    }
}

const QualityReference& QualityChecker::reference(const QualityOrder& order, TimePoint until,
                                                  const std::stop_token& stop) {
    SampleCut cut = order.cut;
    cut.passage = std::min(cut.passage, order.contextTokens);
    auto passages = cutSample(order.encode, cut);
    const auto isForeign = [&](const QualityPassage& passage) {
        return std::ranges::any_of(passage.ids,
                                   [&](TokenId id) { return id < 0 || id >= order.vocabulary; });
    };
    std::erase_if(passages, isForeign);
    if (passages.empty()) {
        throw Failure(ErrorCode::Unsupported, "The sample text has no tokens of this model.");
    }
    const std::filesystem::path file = referenceFile(order.digest);
    if (!m_reference || m_reference->digest != order.digest || m_referenceCut != order.cut) {
        m_referenceCut = order.cut;
        m_reference = file.empty() ? std::nullopt
                                   : readReference(file, order.digest, passages, order.vocabulary);
        if (!m_reference) {
            m_reference = QualityReference{.digest = order.digest, .passages = {}, .canaries = {}};
        }
    }
    if (!isWhole(*m_reference, passages)) {
        const EvaluatorOptions options{.threads = order.options.threads,
                                       .blockTokens = order.options.blockTokens};
        const auto evaluator = open(order.path, options, stop);
        extendReference(*m_reference, *evaluator, passages, order.encode, until);
        if (!file.empty() && isWhole(*m_reference, passages)) {
            writeReference(file, *m_reference); // else it is made again next time
        }
    }
    return *m_reference;
}

namespace {

struct Compared {
    std::vector<CanaryLoss> losses;
    QualitySum sum;
};

// Canaries first; whatever was compared when the time is up stays.
void compare(Evaluator& evaluator, const QualityReference& expected, TimePoint until,
             Compared& compared) {
    for (const QualityCanary& canary : expected.canaries) {
        if (Clock::now() >= until) {
            return;
        }
        compared.losses.push_back({.name = canary.name,
                                   .loss = answerLoss(evaluator, canary.prompt, canary.answer),
                                   .referenceLoss = canary.loss});
    }
    for (const QualityPassage& passage : expected.passages) {
        const auto add = [&](std::int64_t position, std::span<const float> logits) {
            const auto at = static_cast<std::size_t>(position);
            if (at < passage.expected.size()) {
                compared.sum.add(passage.expected[at], logits, passage.ids[at + 1]);
            }
        };
        const bool isToItsEnd = readPassage(evaluator, passage.ids, until, add);
        compared.sum.endPassage();
        if (!isToItsEnd || Clock::now() >= until) {
            return;
        }
    }
}

} // namespace

Notice QualityChecker::check(const QualityOrder& order, const std::stop_token& stop) {
    std::optional<MemoryClaims::Claim> claim(m_memory->claim(order.weightsBytes));
    const TimePoint begin = Clock::now();
    const Deadline deadline(stop, begin + order.limit + order.limit / 10);
    Compared compared;
    try {
        const QualityReference& expected =
            reference(order, begin + order.limit / 2, deadline.token());
        const auto evaluator = open(order.path, order.options, deadline.token());
        claim.reset(); // taken
        compare(*evaluator, expected, begin + order.limit, compared);
    } catch (const Failure&) {
        if (!deadline.hasPassed()) {
            throw;
        }
        compared.sum.endPassage();
    }
    const QualitySum& sum = compared.sum;
    const std::chrono::duration<double> passed = Clock::now() - begin;
    if (sum.tokens() < std::min(kLeastTokens, order.cut.tokens / 2)) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The processor was busy: in {:.0f} s {} tokens of {} were "
                                  "compared.",
                                  passed.count(), sum.tokens(), order.cut.tokens));
    }
    const auto figures = sum.figures();
    Notice notice =
        figures
            ? qualityNotice(*figures, compared.losses)
            : Notice{.kind = "quality_checked",
                     .values = {{"tokens", fmt::format("{}", sum.tokens())}, {"garbled", "yes"}}};
    notice.values.emplace_back("seconds", fmt::format("{:.1f}", passed.count()));
    return notice;
}

} // namespace engine

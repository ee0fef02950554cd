#include "engine/loop/quality_checker.h"

#include "engine/base/failure.h"
#include "engine/loop/memory_reading.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

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

void addInterval(Notice& notice, const std::string& name, const Interval& interval, double factor) {
    const auto text = [factor](double value) { return fmt::format("{:.5f}", value * factor); };
    notice.values.emplace_back(name, text(interval.value));
    if (interval.low && interval.high) {
        notice.values.emplace_back(name + "_low", text(*interval.low));
        notice.values.emplace_back(name + "_high", text(*interval.high));
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
    notice.values.emplace_back("perplexity", fmt::format("{:.4f}", figures.perplexity));
    notice.values.emplace_back("reference_perplexity",
                               fmt::format("{:.4f}", figures.referencePerplexity));
    addInterval(notice, "perplexity_change_percent", figures.perplexityChange, 100.0);
    addInterval(notice, "mean_kl", figures.meanKl, 1.0);
    addInterval(notice, "top_agreement_percent", figures.topAgreement, 100.0);
    for (const CanaryLoss& canary : losses) {
        notice.values.emplace_back("canary_" + canary.name,
                                   fmt::format("{:.3f}", canary.loss - canary.referenceLoss));
    }
    notice.values.emplace_back("garbled", isGarbled(figures, losses) ? "yes" : "no");
    return notice;
}

QualityChecker::QualityChecker(std::function<void(Notice)> tell)
    : m_tell(std::move(tell)),
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
        notice.values.emplace_back("change", order.change);
        if (order.undo) {
            notice.values.emplace_back("field", order.undo->key);
            notice.values.emplace_back("before", order.undo->before);
            notice.values.emplace_back("after", order.undo->after);
        }
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

Notice QualityChecker::check(const QualityOrder& order, const std::stop_token& stop) {
    if (const auto refusal = refuseMemory(order.weightsBytes)) {
        throw Failure(ErrorCode::OutOfMemory, *refusal);
    }
    const TimePoint begin = Clock::now();
    const QualityReference& expected = reference(order, begin + order.limit / 2, stop);
    const auto evaluator = open(order.path, order.options, stop);
    std::vector<CanaryLoss> losses;
    for (const QualityCanary& canary : expected.canaries) {
        losses.push_back({.name = canary.name,
                          .loss = answerLoss(*evaluator, canary.prompt, canary.answer),
                          .referenceLoss = canary.loss});
    }
    QualitySum sum;
    for (const QualityPassage& passage : expected.passages) {
        const bool isToItsEnd =
            readPassage(*evaluator, passage.ids, begin + order.limit,
                        [&](std::int64_t position, std::span<const float> logits) {
                            const auto at = static_cast<std::size_t>(position);
                            if (at < passage.expected.size()) {
                                sum.add(passage.expected[at], logits, passage.ids[at + 1]);
                            }
                        });
        sum.endPassage();
        if (!isToItsEnd || Clock::now() >= begin + order.limit) {
            break;
        }
    }
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
            ? qualityNotice(*figures, losses)
            : Notice{.kind = "quality_checked",
                     .values = {{"tokens", fmt::format("{}", sum.tokens())}, {"garbled", "yes"}}};
    notice.values.emplace_back("seconds", fmt::format("{:.1f}", passed.count()));
    return notice;
}

} // namespace engine

#include "engine/loop/quality_checker.h"

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <sched.h>

namespace engine {

namespace {

// More nats a token than the reference's own answer costs: nobody would have written this.
constexpr double kGarbledLoss = 4.0;
constexpr double kGarbledPerplexity = 0.5;

// Runs only where no other thread wants the processor; threads started from here inherit it.
void takeWhatIsLeft() {
    sched_param parameters{};
    sched_setscheduler(0, SCHED_IDLE, &parameters);
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
    takeWhatIsLeft();
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
        lock.unlock();
        m_tell(std::move(notice));
        lock.lock();
    }
}

const QualityReference& QualityChecker::reference(const QualityOrder& order,
                                                  const std::stop_token& stop) {
    if (m_reference && m_reference->digest == order.digest && m_referenceCut == order.cut) {
        return *m_reference;
    }
    m_reference.reset();
    const std::filesystem::path file = referenceFile(order.digest);
    EvaluatorOptions options{.threads = order.options.threads,
                             .blockTokens = order.options.blockTokens};
    const auto evaluator = open(order.path, options, stop);
    SampleCut cut = order.cut;
    cut.passage = std::min(cut.passage, evaluator->contextTokens());
    auto passages = cutSample(order.encode, cut);
    const auto isForeign = [&](const QualityPassage& passage) {
        return std::ranges::any_of(
            passage.ids, [&](TokenId id) { return id < 0 || id >= evaluator->vocabulary(); });
    };
    std::erase_if(passages, isForeign);
    if (passages.empty()) {
        throw Failure(ErrorCode::Unsupported, "The sample text has no tokens of this model.");
    }
    if (!file.empty()) {
        m_reference = readReference(file, order.digest, passages, evaluator->vocabulary());
    }
    if (!m_reference) {
        m_reference = makeReference(*evaluator, order.digest, std::move(passages), order.encode);
        if (!file.empty()) {
            writeReference(file, *m_reference); // else it is made again next time
        }
    }
    m_referenceCut = order.cut;
    return *m_reference;
}

Notice QualityChecker::check(const QualityOrder& order, const std::stop_token& stop) {
    const QualityReference& expected = reference(order, stop);
    const auto evaluator = open(order.path, order.options, stop);
    constexpr std::int64_t kChunk = 128;
    QualitySum sum;
    for (const QualityPassage& passage : expected.passages) {
        const auto done =
            evaluator->logits(passage.ids, kChunk, LogitRows::All,
                              [&](std::int64_t position, std::span<const float> logits) {
                                  const auto at = static_cast<std::size_t>(position);
                                  if (at < passage.expected.size()) {
                                      sum.add(passage.expected[at], logits, passage.ids[at + 1]);
                                  }
                              });
        if (!done) {
            throw Failure(done.error().code, done.error().message);
        }
        sum.endPassage();
    }
    const auto figures = sum.figures();
    if (!figures) {
        return {.kind = "quality_checked",
                .values = {{"tokens", fmt::format("{}", sum.tokens())}, {"garbled", "yes"}}};
    }
    std::vector<CanaryLoss> losses;
    for (const QualityCanary& canary : expected.canaries) {
        losses.push_back({.name = canary.name,
                          .loss = answerLoss(*evaluator, canary.prompt, canary.answer),
                          .referenceLoss = canary.loss});
    }
    return qualityNotice(*figures, losses);
}

} // namespace engine

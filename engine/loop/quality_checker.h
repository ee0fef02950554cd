// Compares what a changed precision predicts with the file's own, with weights of its own, on
// threads of low priority: beside threads that compute without a pause they get a tenth of the
// cores. A check ends in time whatever it gets, with what was compared by then. One at a time: a
// newer change ends the one before. Ordered by the engine thread.
#pragma once

#include "engine/events.h"
#include "engine/loop/memory_reading.h"
#include "engine/quality/reference.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace engine {

struct QualityOrder {
    std::filesystem::path path;
    std::string digest;
    EvaluatorOptions options; // of what is checked
    SampleCut cut;
    std::int64_t contextTokens = 0; // of the model
    std::int64_t vocabulary = 0;
    std::uint64_t weightsBytes = 0; // that a check takes beside those in force
    // Of the whole check; what can't be left half done has a tenth of it more.
    Nanoseconds limit = std::chrono::minutes(5);
    Encode encode;       // outlives the checker
    EngineConfig config; // in force
};

class QualityChecker {
public:
    // `tell` is called from the checking thread, with {kind = "quality_checked"} or
    // {"quality_unchecked", reason}.
    QualityChecker(std::shared_ptr<MemoryClaims> memory, std::function<void(Notice)> tell);
    ~QualityChecker(); // ends a check

    void order(QualityOrder order);
    void cancel();
    // What is in force is the file's own precision, or what was loaded: a check that runs ends, and
    // changes are told from here on. A check that finds no fault does the same.
    void trust(const EngineConfig& config);

private:
    void run(const std::stop_token& stop);
    Notice check(const QualityOrder& order, const std::stop_token& stop);
    void conclude(Notice& notice, const EngineConfig& config);
    const QualityReference& reference(const QualityOrder& order, TimePoint until,
                                      const std::stop_token& stop);

    std::shared_ptr<MemoryClaims> m_memory;
    std::function<void(Notice)> m_tell;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<QualityOrder> m_order;
    std::stop_source m_checking;
    EngineConfig m_trusted;
    // Checking thread.
    std::optional<QualityReference> m_reference;
    SampleCut m_referenceCut;
    std::jthread m_thread; // last
};

// Figures as an event tells them; `losses` are the canaries' beside the reference's own.
struct CanaryLoss {
    std::string name;
    double loss = 0.0, referenceLoss = 0.0;
};
// Figures that are no number are left out.
Notice qualityNotice(const QualityFigures& figures, const std::vector<CanaryLoss>& losses);
// Whether predictions are so far off that answers will not be text.
bool isGarbled(const QualityFigures& figures, const std::vector<CanaryLoss>& losses);

} // namespace engine

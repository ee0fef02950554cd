// Weights of the loaded file in another precision, made on threads of its own while the engine goes
// on. One order at a time: a newer one ends the one before. The engine thread orders and takes;
// progress() is for any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/loop/memory_reading.h"
#include "engine/model/model.h"
#include "engine/model/weights.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace engine {

struct WeightOrder {
    WeightPrecision precision = WeightPrecision::File;
    kernels::WeightLayout layout = kernels::WeightLayout::Packed;
    std::filesystem::path path;
    std::string digest;          // of the file that is loaded
    kernels::Ops* ops = nullptr; // that the model will run on; outlives it
    int threads = 1;             // that convert, beside those that compute
    std::int64_t stepTokens = 0; // scratch of the model
    std::int64_t logitRows = 0;
};

struct PreparedWeights {
    WeightPrecision precision = WeightPrecision::File;
    std::unique_ptr<Checkpoint> checkpoint; // what the model borrows from, if it does
    std::unique_ptr<Model> model;           // null: error says why; goes first
    std::string error;
    Nanoseconds duration{};
};

class WeightPreparer {
public:
    // `wake` is called from the preparing thread when there is something to take.
    WeightPreparer(std::shared_ptr<MemoryClaims> memory, std::function<void()> wake);
    ~WeightPreparer(); // ends what is being made

    // Nothing where that precision is being made or waits to be taken.
    void order(WeightOrder order);
    void cancel();
    bool hasResult() const { return m_hasResult.load(std::memory_order_acquire); }
    std::optional<PreparedWeights> take();
    // Weights that nobody uses any more: their memory is given back on the preparing thread.
    void dispose(std::unique_ptr<Model> model, std::unique_ptr<Checkpoint> checkpoint);

    struct Progress {
        double part = 0.0; // 0..1
        std::optional<double> secondsLeft;
    };
    std::optional<Progress> progress() const; // empty where nothing is being made

private:
    struct Gone {
        std::unique_ptr<Checkpoint> checkpoint;
        std::unique_ptr<Model> model; // goes first
    };
    void run(const std::stop_token& stop);
    PreparedWeights make(const WeightOrder& order, const std::stop_token& stop);

    std::shared_ptr<MemoryClaims> m_memory;
    std::function<void()> m_wake;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::optional<WeightOrder> m_order;      // waits
    std::optional<WeightPrecision> m_making; // of what is being made
    std::stop_source m_makingStop;
    std::optional<PreparedWeights> m_result;
    std::vector<Gone> m_gone;
    // Released after the result is there; the engine looks at it every step.
    std::atomic<bool> m_hasResult{false};
    std::atomic<std::uint64_t> m_doneBytes{0}; // relaxed: a figure
    std::atomic<std::uint64_t> m_totalBytes{0};
    TimePoint m_begun;
    std::jthread m_thread; // last
};

} // namespace engine

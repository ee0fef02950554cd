#include "app/experiment/worker_blocks.h"

#include "app/experiment/process_memory.h"
#include "app/store/summary.h"
#include "engine/adapters.h"

#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace app {

namespace {

using engine::Clock;
using engine::TimePoint;

constexpr double kTypingSeconds = 2.0;
constexpr int kTypingPieces = 20;
constexpr int kFirstPromptTokens = 64, kFirstAnswerTokens = 8;
constexpr std::chrono::milliseconds kPoll{20};

std::chrono::nanoseconds nanoseconds(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// A thread that runs `work`, and what came of it.
class WorkerBlock : public BlockWork {
public:
    WorkerBlock(WorkSetup setup, PromptLibrary library)
        : m_setup(std::move(setup)),
          m_library(std::move(library)) {}

    void start() final {
        const TimePoint now = Clock::now();
        m_outcome.from = now + nanoseconds(m_setup.warmupSeconds);
        m_outcome.to = m_outcome.from + nanoseconds(m_setup.measureSeconds);
        m_measuredTo = m_outcome.to;
        m_thread = std::jthread([this](const std::stop_token& stop) {
            try {
                work(stop);
            } catch (const std::exception& error) {
                m_outcome.problem = error.what();
            }
            m_outcome.isWhole = m_outcome.isWhole && m_outcome.problem.empty();
            m_isFinished = true;
        });
    }
    void stop() final { m_thread.request_stop(); }
    bool isFinished() const final { return m_isFinished; }
    TimePoint measuredTo() const final { return m_measuredTo; }
    WorkOutcome outcome() const final { return m_outcome; }

protected:
    virtual void work(const std::stop_token& stop) = 0;

    // False when a stop was asked.
    bool sleepUntil(TimePoint time, const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        m_wake.wait_until(lock, stop, time, [] { return false; });
        return !stop.stop_requested();
    }
    // False when a stop was asked before the answer ended.
    bool waitForEnd(engine::TokenStream& stream, const std::stop_token& stop) {
        while (!stream.isFinished()) {
            if (stop.stop_requested()) {
                return false;
            }
            stream.waitNext(kPoll);
        }
        return true;
    }
    void join() {
        m_thread.request_stop();
        if (m_thread.joinable()) {
            m_thread.join();
        }
    }
    std::string passage(int tokens, std::uint64_t draw) const {
        const auto& sets = m_setup.workload.promptSets;
        return m_library.passage(sets[draw % sets.size()], tokens, draw);
    }
    engine::Request requestOf(std::string text, const engine::Backend& backend) const {
        engine::Request request;
        const std::string format = backend.capabilities().chatFormat;
        if (format.empty() || format == "none") {
            request.prompt = std::move(text);
        } else {
            request.prompt =
                std::vector<engine::ChatMessage>{{.role = "user", .content = std::move(text)}};
        }
        request.label = m_setup.workload.promptSets.front();
        request.ignoreEnd = m_setup.workload.fixedOutput;
        request.maxTokens = m_setup.workload.outputTokens.maximum;
        return request;
    }

    const WorkSetup m_setup;
    const PromptLibrary m_library;
    WorkOutcome m_outcome; // the worker's until it is finished

private:
    TimePoint m_measuredTo{};
    std::atomic<bool> m_isFinished = false; // released after the outcome is written
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

// On the caller's thread. Empty where it worked.
std::string loadAdapter(engine::Backend& backend, const std::string& name,
                        const std::filesystem::path& file) {
    engine::Adapters* adapters = backend.adapters();
    if (adapters == nullptr) {
        return "The loaded model takes no adapters.";
    }
    std::promise<std::string> outcome;
    adapters->loadAdapter(name, file, [&](const engine::Result<engine::AdapterInfo>& result) {
        outcome.set_value(result ? std::string() : result.error().message);
    });
    return outcome.get_future().get();
}

class LoadWork final : public WorkerBlock {
public:
    using WorkerBlock::WorkerBlock;
    ~LoadWork() override { join(); }

private:
    void work(const std::stop_token& stop) override {
        m_outcome.from = Clock::now();
        if (m_setup.tenants != Tenants::None) {
            measureTenants(stop);
            return;
        }
        auto loaded = m_setup.maker(m_setup.model, m_setup.config, {}, stop);
        const TimePoint ready = Clock::now();
        m_outcome.to = ready;
        if (!loaded) {
            m_outcome.problem = loaded.error().message;
            return;
        }
        engine::Request request =
            requestOf(passage(kFirstPromptTokens, m_setup.workload.seed), **loaded);
        request.maxTokens = kFirstAnswerTokens;
        request.scheduled = Clock::now();
        const auto stream = (*loaded)->submit(std::move(request));
        if (!waitForEnd(*stream, stop)) {
            return;
        }
        const auto record = stream->record();
        const auto ttft = record ? milliseconds(record->ttft()) : std::nullopt;
        if (!ttft) {
            m_outcome.problem = "The first request was not answered: " + stream->message();
            return;
        }
        m_outcome.figures["load_ms"] = {milliseconds(ready - m_outcome.from), 1};
        m_outcome.figures["first_ttft_ms"] = {*ttft, 1};
        m_outcome.to = Clock::now();
        m_outcome.isWhole = true;
    }

    // Each is asked once, so that what only work touches is counted too.
    void measureTenants(const std::stop_token& stop) {
        constexpr int kTenants = 2;
        constexpr std::int64_t kRank = 16; // what vLLM takes by default
        const QTemporaryDir folder;
        std::vector<std::filesystem::path> files;
        for (int i = 0; i < kTenants; ++i) {
            files.emplace_back(folder.filePath(QString::number(i)).toStdString() + ".gguf");
            engine::Adapters* adapters = m_setup.backend->adapters();
            const auto written =
                adapters == nullptr
                    ? engine::Result<void>(std::unexpected(engine::Error{
                          engine::ErrorCode::Unsupported, "The loaded model takes no adapters."}))
                    : adapters->writeSampleAdapter(files.back(), kRank,
                                                   m_setup.workload.seed +
                                                       static_cast<std::uint64_t>(i));
            if (!written) {
                m_outcome.problem = written.error().message;
                return;
            }
        }
        const ProcessMemory memory;
        std::vector<std::unique_ptr<engine::Backend>> models;
        for (int i = 0; i < kTenants; ++i) {
            if (i == 0 || m_setup.tenants == Tenants::Copies) {
                auto loaded = m_setup.maker(m_setup.model, m_setup.config, {}, stop);
                if (!loaded) {
                    m_outcome.problem = loaded.error().message;
                    return;
                }
                models.push_back(std::move(*loaded));
            }
            const std::string name = std::to_string(i);
            m_outcome.problem =
                loadAdapter(*models.back(), name, files[static_cast<std::size_t>(i)]);
            if (!m_outcome.problem.empty() || !askTenant(*models.back(), name, stop)) {
                return;
            }
        }
        m_outcome.to = Clock::now();
        if (const auto growth = memory.growthBytes()) {
            m_outcome.figures["tenants_mib"] = {static_cast<double>(*growth) / (1 << 20), kTenants};
        }
        m_outcome.isWhole = true;
    }

    bool askTenant(engine::Backend& backend, const std::string& name, const std::stop_token& stop) {
        engine::Request request =
            requestOf(passage(kFirstPromptTokens, m_setup.workload.seed), backend);
        request.adapter = name;
        request.maxTokens = kFirstAnswerTokens;
        const auto stream = backend.submit(std::move(request));
        if (!waitForEnd(*stream, stop)) {
            return false;
        }
        const auto reason = stream->finishReason();
        if (!reason || engine::outcome(*reason) != engine::Outcome::Completed) {
            m_outcome.problem = "A tenant was not answered: " + stream->message();
        }
        return m_outcome.problem.empty();
    }
};

class TypingWork final : public WorkerBlock {
public:
    using WorkerBlock::WorkerBlock;
    ~TypingWork() override { join(); }

private:
    void work(const std::stop_token& stop) override {
        std::uint64_t draw = m_setup.workload.seed * 1000;
        while (Clock::now() < m_outcome.to) {
            if (!writeOne(passage(m_setup.workload.promptTokens.maximum, ++draw), stop)) {
                return;
            }
        }
        m_outcome.isWhole = true;
    }

    bool writeOne(const std::string& text, const std::stop_token& stop) {
        engine::Backend& backend = *m_setup.backend;
        const TimePoint begin = Clock::now();
        std::shared_ptr<engine::TokenStream> stream;
        if (m_setup.isTyped) {
            stream = backend.open(requestOf({}, backend));
        }
        for (int piece = 0; piece < kTypingPieces; ++piece) {
            const std::size_t from = boundary(text, piece), to = boundary(text, piece + 1);
            if (stream) {
                backend.append(stream->id(), text.substr(from, to - from));
            }
            const double share = static_cast<double>(piece + 1) / kTypingPieces;
            if (!sleepUntil(begin + nanoseconds(kTypingSeconds * share), stop)) {
                if (stream) {
                    backend.cancel(stream->id());
                }
                return false;
            }
        }
        if (stream) {
            backend.complete(stream->id(), {.maxTokens = m_setup.workload.outputTokens.maximum,
                                            .sampling = {},
                                            .scheduled = Clock::now()});
        } else {
            engine::Request request = requestOf(text, backend);
            request.scheduled = Clock::now();
            stream = backend.submit(std::move(request));
        }
        if (!waitForEnd(*stream, stop)) {
            backend.cancel(stream->id());
            return false;
        }
        ++m_outcome.ended;
        return true;
    }

    // Where a piece begins: between characters.
    static std::size_t boundary(const std::string& text, int piece) {
        std::size_t at = text.size() * static_cast<std::size_t>(piece) / kTypingPieces;
        while (at > 0 && at < text.size() &&
               (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
            --at;
        }
        return at;
    }
};

class TokenizeWork final : public WorkerBlock {
public:
    using WorkerBlock::WorkerBlock;
    ~TokenizeWork() override { join(); }

private:
    void work(const std::stop_token& stop) override {
        const int wanted = m_setup.workload.promptTokens.maximum;
        m_outcome.from = Clock::now();
        m_outcome.to = m_outcome.from + nanoseconds(m_setup.measureSeconds);
        std::vector<double> times;
        std::uint64_t draw = m_setup.workload.seed * 1000;
        const ProcessMemory memory;
        do {
            const std::string text = passage(wanted, ++draw);
            const TimePoint begin = Clock::now();
            const auto ids = m_setup.backend->tokenize(text);
            const double took = milliseconds(Clock::now() - begin);
            if (!ids || ids->empty()) {
                m_outcome.problem = ids ? "The text has no tokens." : ids.error().message;
                return;
            }
            // Passages are cut by a rule of thumb: told for the length that was asked for.
            times.push_back(took * wanted / static_cast<double>(ids->size()));
        } while (Clock::now() < m_outcome.to && !stop.stop_requested());
        std::ranges::sort(times);
        const auto n = static_cast<std::int64_t>(times.size());
        m_outcome.figures["tokenize_ms"] = {*quantile(times, 0.5), n};
        if (const auto peak = memory.peakSinceBytes()) {
            m_outcome.figures["tokenize_mib"] = {static_cast<double>(*peak) / (1 << 20), n};
        }
        m_outcome.isWhole = true;
    }
};

} // namespace

std::unique_ptr<BlockWork> makeLoadWork(WorkSetup setup, PromptLibrary library) {
    return std::make_unique<LoadWork>(std::move(setup), std::move(library));
}

std::unique_ptr<BlockWork> makeTypingWork(WorkSetup setup, PromptLibrary library) {
    return std::make_unique<TypingWork>(std::move(setup), std::move(library));
}

std::unique_ptr<BlockWork> makeTokenizeWork(WorkSetup setup, PromptLibrary library) {
    return std::make_unique<TokenizeWork>(std::move(setup), std::move(library));
}

} // namespace app

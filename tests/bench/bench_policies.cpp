// What the scheduler's choices cost and give on a real model, each pair alternated in one process.
//   bench_policies MODEL throughput|lanes|selective|streams|leaks [--seconds 20] [--rounds 3]
//                  [--prompt 32] [--answer 64] [--requests 10000] [--policy NAME]...
//                  [--threads N] [--kv-blocks N]
// throughput: output tokens a second of single, dynamic and continuous batching, of prompts and
// answers of so many tokens. lanes: p99 TTFT of the realtime lane at 1.2 times saturation with and
// without priority. selective: short and long prompts, against continuous. streams: TTFT of a
// 2k-token prompt that is written over two seconds. leaks: small requests of which 30 % are
// cancelled while they wait or run, under each policy: whether each ended once with its tokens, and
// every block came back; a line of JSON a policy, and a failure where not. The others end with a
// line of JSON for what is kept.
#include "engine/backend.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace {

using namespace std::chrono_literals;
using engine::Batching;
using engine::Clock;

struct Bench {
    std::unique_ptr<engine::Backend> backend;
    std::mt19937_64 random;
    double seconds = 20.0;
    int requests = 10000;
    int rounds = 3;
    int prompt = 32, answer = 64; // tokens, of throughput
    std::vector<std::string> policies = {"single", "dynamic", "continuous", "selective"};

    // Both sides of a round meet the same requests at the same times.
    void beginSide(int round) { random.seed(static_cast<std::uint64_t>(7 + round)); }
    void set(const std::function<void(engine::EngineConfig&)>& change) {
        if (const auto done = backend->edit(change); !done) {
            throw std::runtime_error(done.error().message);
        }
        backend->resetPrefixCache();
        std::this_thread::sleep_for(50ms);
    }
    double uniform() { return std::uniform_real_distribution(0.0, 1.0)(random); }

    engine::Request request(int promptTokens, int outputTokens) {
        engine::Request request;
        std::vector<engine::TokenId> ids(static_cast<std::size_t>(promptTokens));
        for (engine::TokenId& id : ids) {
            id = static_cast<engine::TokenId>(500 + random() % 20000);
        }
        request.prompt = std::move(ids);
        request.maxTokens = outputTokens;
        request.ignoreEnd = true;
        return request;
    }
};

using Streams = std::vector<std::shared_ptr<engine::TokenStream>>;
using Records = std::vector<std::shared_ptr<const engine::RequestRecord>>;

Records ended(const Streams& streams) {
    Records records;
    for (const auto& stream : streams) {
        while (stream->waitNext(1000ms)) {
        }
        if (stream->record()) {
            records.push_back(stream->record());
        }
    }
    return records;
}

double quantile(std::vector<double> values, double q) {
    if (values.empty()) {
        return 0.0;
    }
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// Order statistics that hold the median with at least 95 %, without a distribution; all values
// where there are too few.
std::pair<double, double> medianInterval(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t n = values.size();
    double term = std::pow(0.5, static_cast<double>(n)); // that none is below the median
    double tail = term;
    std::size_t left = 0;
    while (left + 1 < n / 2) {
        term *= static_cast<double>(n - left) / static_cast<double>(left + 1);
        if (2.0 * (tail + term) > 0.05) {
            break;
        }
        tail += term;
        ++left;
    }
    return {values[left], values[n - 1 - left]};
}

std::vector<double> ttftMs(const Records& records,
                           const std::function<bool(const engine::RequestRecord&)>& isMeant) {
    std::vector<double> values;
    for (const auto& record : records) {
        if (const auto ttft = record->ttft(); ttft && isMeant(*record)) {
            values.push_back(std::chrono::duration<double, std::milli>(*ttft).count());
        }
    }
    return values;
}

// "[1.00, 2.00]"
std::string listText(const std::vector<double>& values, int digits) {
    std::string text;
    for (const double value : values) {
        text += fmt::format("{}{:.{}f}", text.empty() ? "" : ", ", value, digits);
    }
    return "[" + text + "]";
}

// Of ratios within a round, which what slows the machine for a while does not change.
std::string ratioText(const std::vector<double>& ratios) {
    const auto [low, high] = medianInterval(ratios);
    return fmt::format("{{\"median\": {:.3f}, \"interval_95\": [{:.3f}, {:.3f}], \"rounds\": {}}}",
                       quantile(ratios, 0.5), low, high, listText(ratios, 3));
}

// All at once; output tokens a second until the last answer.
double closedRate(Bench& bench, int count, int prompt, int output) {
    const auto begin = Clock::now();
    Streams streams;
    for (int i = 0; i < count; ++i) {
        streams.push_back(bench.backend->submit(bench.request(prompt, output)));
    }
    double tokens = 0.0;
    for (const auto& record : ended(streams)) {
        tokens += static_cast<double>(record->outputTokens);
    }
    return tokens / std::chrono::duration<double>(Clock::now() - begin).count();
}

// Poisson arrivals for some seconds, in which `make` decides each request.
Records openLoop(Bench& bench, double perSecond, const std::function<engine::Request()>& make) {
    Streams streams;
    const auto begin = Clock::now();
    double at = 0.0;
    while (at < bench.seconds) {
        at += -std::log(1.0 - bench.uniform()) / perSecond;
        const auto due = begin + std::chrono::duration_cast<engine::Nanoseconds>(
                                     std::chrono::duration<double>(at));
        std::this_thread::sleep_until(due);
        engine::Request request = make();
        request.scheduled = due;
        streams.push_back(bench.backend->submit(std::move(request)));
    }
    return ended(streams);
}

void throughput(Bench& bench) {
    struct Row {
        const char* name;
        Batching batching;
        int maxBatch, count;
    };
    constexpr std::array rows = {Row{"single", Batching::Single, 16, 8},
                                 Row{"dynamic 8", Batching::Dynamic, 8, 16},
                                 Row{"continuous 8", Batching::Continuous, 8, 32},
                                 Row{"continuous 16", Batching::Continuous, 16, 32}};
    std::array<std::vector<double>, rows.size()> rates;
    for (int round = 0; round < bench.rounds; ++round) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            bench.set([&](engine::EngineConfig& config) {
                config.batching = rows[i].batching;
                config.maxBatch = rows[i].maxBatch;
            });
            rates[i].push_back(closedRate(bench, rows[i].count, bench.prompt, bench.answer));
        }
    }
    // Ratios of a round: what slows the machine for a while slows both.
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<double> ratios;
        for (std::size_t round = 0; round < rates[i].size(); ++round) {
            ratios.push_back(rates[i][round] / rates[0][round]);
        }
        const auto [low, high] = medianInterval(ratios);
        fmt::print(
            "{:14} {:7.1f} output tok/s [{:.1f}, {:.1f}]  {:5.2f} x single, 95 % interval of "
            "the median {:.2f} to {:.2f}\n",
            rows[i].name, quantile(rates[i], 0.5), quantile(rates[i], 0.0), quantile(rates[i], 1.0),
            quantile(ratios, 0.5), low, high);
        fmt::print("{{\"policy\": \"{}\", \"output_tokens_per_s\": {}, \"times_single\": {}}}\n",
                   rows[i].name, listText(rates[i], 1), ratioText(ratios));
    }
}

void lanes(Bench& bench) {
    constexpr int kPrompt = 48;
    constexpr int kOutput = 32;
    const double saturation = closedRate(bench, 64, kPrompt, kOutput) / kOutput;
    fmt::print("saturation {:.2f} req/s, load {:.2f} req/s, 30 % realtime\n", saturation,
               1.2 * saturation);
    std::array<std::vector<double>, 2> p50, p99, batchP50;
    for (int round = 0; round < bench.rounds; ++round) {
        for (const bool usesPriority : {false, true}) {
            bench.set([&](engine::EngineConfig& config) { config.usesPriority = usesPriority; });
            bench.beginSide(round);
            const Records records = openLoop(bench, 1.2 * saturation, [&] {
                engine::Request request = bench.request(kPrompt, kOutput);
                request.lane = bench.uniform() < 0.3 ? engine::Lane::Realtime : engine::Lane::Batch;
                return request;
            });
            const auto values = ttftMs(records, [](const engine::RequestRecord& record) {
                return record.lane == engine::Lane::Realtime;
            });
            const auto batch = ttftMs(records, [](const engine::RequestRecord& record) {
                return record.lane == engine::Lane::Batch;
            });
            const std::size_t side = usesPriority ? 1 : 0;
            p50[side].push_back(quantile(values, 0.5));
            p99[side].push_back(quantile(values, 0.99));
            batchP50[side].push_back(quantile(batch, 0.5));
            fmt::print("priority {:3}  realtime TTFT p50 {:7.1f}  p99 {:7.1f} ms (n {})   batch "
                       "p50 {:7.1f}  p99 {:7.1f}\n",
                       usesPriority ? "on" : "off", quantile(values, 0.5), quantile(values, 0.99),
                       values.size(), quantile(batch, 0.5), quantile(batch, 0.99));
        }
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < p99[0].size(); ++i) {
        ratios.push_back(p99[1][i] / p99[0][i]);
    }
    for (const std::size_t side : {0U, 1U}) {
        fmt::print("{{\"priority\": {}, \"load_per_s\": {:.2f}, \"realtime_ttft_p50_ms\": {}, "
                   "\"realtime_ttft_p99_ms\": {}, \"batch_ttft_p50_ms\": {}}}\n",
                   side == 1, 1.2 * saturation, listText(p50[side], 1), listText(p99[side], 1),
                   listText(batchP50[side], 1));
    }
    fmt::print("{{\"p99_with_of_without_priority\": {}}}\n", ratioText(ratios));
}

void selective(Bench& bench) {
    bench.set([](engine::EngineConfig& config) { config.classTokens = 256; });
    std::map<std::string, std::array<std::vector<double>, 2>> figures;
    for (int round = 0; round < bench.rounds; ++round) {
        for (const Batching batching : {Batching::Continuous, Batching::Selective}) {
            bench.set([&](engine::EngineConfig& config) { config.batching = batching; });
            bench.beginSide(round);
            int number = 0;
            const auto begin = Clock::now();
            const Records records = openLoop(
                bench, 5.0, [&] { return bench.request(number++ % 8 == 7 ? 1200 : 48, 16); });
            const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            const auto isShort = [](const engine::RequestRecord& r) {
                return r.promptTokens < 256;
            };
            const auto isLong = [](const engine::RequestRecord& r) {
                return r.promptTokens >= 256;
            };
            const std::size_t side = batching == Batching::Selective ? 1 : 0;
            figures["short_ttft_p50_ms"][side].push_back(quantile(ttftMs(records, isShort), 0.5));
            figures["short_ttft_p90_ms"][side].push_back(quantile(ttftMs(records, isShort), 0.9));
            figures["long_ttft_p50_ms"][side].push_back(quantile(ttftMs(records, isLong), 0.5));
            figures["requests_per_s"][side].push_back(static_cast<double>(records.size()) /
                                                      seconds);
            fmt::print(
                "{:10}  {:5.2f} req/s  short TTFT p50 {:7.1f} p99 {:7.1f}   long p50 "
                "{:7.1f} p99 {:7.1f} ms\n",
                batching == Batching::Selective ? "selective" : "continuous",
                static_cast<double>(records.size()) / seconds,
                quantile(ttftMs(records, isShort), 0.5), quantile(ttftMs(records, isShort), 0.99),
                quantile(ttftMs(records, isLong), 0.5), quantile(ttftMs(records, isLong), 0.99));
        }
    }
    for (const auto& [name, sides] : figures) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < sides[0].size(); ++i) {
            ratios.push_back(sides[1][i] / sides[0][i]);
        }
        const auto [low, high] = medianInterval(ratios);
        fmt::print("{{\"figure\": \"{}\", \"continuous\": {}, \"selective\": {}, "
                   "\"selective_of_continuous\": {}, \"verdict\": \"{}\"}}\n",
                   name, listText(sides[0], 2), listText(sides[1], 2), ratioText(ratios),
                   high < 1.0  ? "selective has less"
                   : low > 1.0 ? "selective has more"
                               : "no difference shown");
    }
}

std::string prose(Bench& bench, std::size_t bytes) {
    constexpr std::array kWords = {"river",   "stone",  "carries", "the",    "quiet",
                                   "answer",  "of",     "every",   "winter", "morning",
                                   "because", "nobody", "asked"};
    std::string text;
    while (text.size() < bytes) {
        text += std::string(kWords[bench.random() % kWords.size()]) + ' ';
    }
    return text;
}

void streams(Bench& bench) {
    std::vector<double> plain, fed;
    for (int round = 0; round < bench.rounds; ++round) {
        for (const bool isFed : {false, true}) {
            bench.backend->resetPrefixCache();
            std::string text = prose(bench, 10500);
            engine::Request request;
            request.maxTokens = 4;
            request.ignoreEnd = true;
            request.prompt = std::vector<engine::ChatMessage>{{.role = "user", .content = {}}};
            std::shared_ptr<engine::TokenStream> stream;
            if (isFed) {
                stream = bench.backend->open(request);
                constexpr std::size_t kPieces = 40;
                const std::size_t size = text.size() / kPieces + 1;
                for (std::size_t at = 0; at < text.size(); at += size) {
                    bench.backend->append(stream->id(), text.substr(at, size));
                    std::this_thread::sleep_for(50ms);
                }
                bench.backend->complete(
                    stream->id(), {.maxTokens = 4, .sampling = {}, .scheduled = Clock::now()});
            } else {
                std::get<std::vector<engine::ChatMessage>>(request.prompt).front().content = text;
                request.scheduled = Clock::now();
                stream = bench.backend->submit(request);
            }
            const Records records = ended({stream});
            const double ms = quantile(ttftMs(records, [](const auto&) { return true; }), 0.5);
            (isFed ? fed : plain).push_back(ms);
            fmt::print("{:6} {} prompt tokens, {} before completion, TTFT {:.1f} ms\n",
                       isFed ? "fed" : "plain", records.front()->promptTokens,
                       records.front()->streamedTokens, ms);
        }
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < fed.size(); ++i) {
        ratios.push_back(fed[i] / plain[i]);
    }
    fmt::print("{{\"fed_ttft_ms\": {}, \"plain_ttft_ms\": {}, \"fed_of_plain\": {}}}\n",
               listText(fed, 1), listText(plain, 1), ratioText(ratios));
}

std::int64_t residentKib() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    file >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// What became of the requests whose end was seen.
struct Tally {
    std::int64_t completed = 0, cancelledWaiting = 0, cancelledRunning = 0, other = 0;
    std::int64_t lost = 0;      // without a record
    std::int64_t wrongSize = 0; // completed, with other than the tokens asked for
    std::int64_t tokens = 0;

    void add(const engine::TokenStream& stream) {
        const auto record = stream.record();
        if (!record) {
            ++lost;
            return;
        }
        tokens += record->outputTokens;
        if (engine::outcome(record->reason) == engine::Outcome::Completed) {
            ++completed;
            wrongSize += record->outputTokens == record->maxTokens ? 0 : 1;
        } else if (record->reason == engine::FinishReason::Cancelled) {
            ++(record->stamps.planned ? cancelledRunning : cancelledWaiting);
        } else {
            ++other;
        }
    }
};

void awaitIdle(Bench& bench) {
    bench.backend->resetPrefixCache();
    for (int i = 0; i < 50; ++i) {
        std::this_thread::sleep_for(100ms);
        if (bench.backend->snapshot().kvBlocksUsed == 0) {
            return;
        }
    }
}

Tally serveAndCancel(Bench& bench) {
    Tally tally;
    std::deque<std::shared_ptr<engine::TokenStream>> outstanding;
    std::set<engine::RequestId> cancelled;
    const auto takeOldest = [&] {
        while (outstanding.front()->waitNext(1000ms)) {
        }
        tally.add(*outstanding.front());
        outstanding.pop_front();
        bench.backend->takeEvents(); // as a recorder would
    };
    for (int i = 0; i < bench.requests; ++i) {
        engine::Request request = bench.request(1 + static_cast<int>(bench.random() % 24),
                                                1 + static_cast<int>(bench.random() % 8));
        request.lane = i % 2 == 0 ? engine::Lane::Batch : engine::Lane::Realtime;
        outstanding.push_back(bench.backend->submit(std::move(request)));
        // One that has not ended and was not cancelled before: so many are, then.
        std::vector<engine::RequestId> living;
        for (const auto& stream : outstanding) {
            if (!stream->isFinished() && !cancelled.contains(stream->id())) {
                living.push_back(stream->id());
            }
        }
        if (!living.empty() && bench.uniform() < 0.3) {
            const engine::RequestId id = living[bench.random() % living.size()];
            cancelled.insert(id);
            bench.backend->cancel(id);
        }
        if (outstanding.size() >= 48) { // three times what may run
            takeOldest();
        }
    }
    while (!outstanding.empty()) {
        takeOldest();
    }
    return tally;
}

void leaks(Bench& bench) {
    bool isSound = true;
    for (const std::string& policy : bench.policies) {
        bench.set([&](engine::EngineConfig& config) {
            static_cast<void>(
                engine::setFromText(*engine::findField("batching.policy"), config, policy));
            config.batchWindowMs = 5;
            config.classTokens = 16;
            config.classPatienceMs = 100;
        });
        awaitIdle(bench);
        const engine::Snapshot before = bench.backend->snapshot();
        const std::int64_t kibBefore = residentKib();
        const auto begin = Clock::now();
        const Tally tally = serveAndCancel(bench);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        awaitIdle(bench);
        const engine::Snapshot after = bench.backend->snapshot();
        const auto ends = [](const engine::Snapshot& s) {
            return s.completed + s.cancelled + s.failed + s.rejected;
        };
        const auto unended = static_cast<std::int64_t>(after.received - before.received) -
                             static_cast<std::int64_t>(ends(after) - ends(before));
        isSound = isSound && tally.lost == 0 && tally.wrongSize == 0 && unended == 0 &&
                  after.kvBlocksUsed == before.kvBlocksUsed;
        fmt::print("{{\"policy\": \"{}\", \"requests\": {}, \"completed\": {}, "
                   "\"cancelled_waiting\": {}, \"cancelled_running\": {}, \"other_ends\": {}, "
                   "\"lost\": {}, \"unended\": {}, \"wrong_length\": {}, \"output_tokens\": {}, "
                   "\"preemptions\": {}, \"seconds\": {:.0f}, \"blocks\": {}, "
                   "\"used_before\": {}, \"used_after\": {}, \"rss_kib_before\": {}, "
                   "\"rss_kib_after\": {}}}\n",
                   policy, bench.requests, tally.completed, tally.cancelledWaiting,
                   tally.cancelledRunning, tally.other, tally.lost, unended, tally.wrongSize,
                   tally.tokens, after.preemptions - before.preemptions, seconds,
                   after.kvBlocksTotal, before.kvBlocksUsed, after.kvBlocksUsed, kibBefore,
                   residentKib());
        std::fflush(stdout);
    }
    if (!isSound) {
        throw std::runtime_error("something was lost or kept");
    }
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("What the scheduler's choices give");
    std::string model, what;
    Bench bench;
    app.add_option("MODEL", model)->required();
    app.add_option("WHAT", what)->required();
    app.add_option("--seconds", bench.seconds);
    app.add_option("--requests", bench.requests);
    app.add_option("--rounds", bench.rounds);
    app.add_option("--prompt", bench.prompt);
    app.add_option("--answer", bench.answer);
    app.add_option("--policy", bench.policies)->check(CLI::IsMember(bench.policies));
    engine::EngineConfig config;
    app.add_option("--threads", config.threads);
    app.add_option("--kv-blocks", config.kvBlocks);
    app.add_option("--block-tokens", config.blockTokens);
    CLI11_PARSE(app, argc, argv);
    const std::map<std::string, void (*)(Bench&)> benches = {{"throughput", throughput},
                                                             {"lanes", lanes},
                                                             {"selective", selective},
                                                             {"streams", streams},
                                                             {"leaks", leaks}};
    const auto chosen = benches.find(what);
    auto backend = engine::makeEngine(model, config);
    if (!backend || chosen == benches.end()) {
        fmt::print(stderr, "{}\n", backend ? "no such bench" : backend.error().message);
        return 1;
    }
    bench.backend = std::move(*backend);
    try {
        chosen->second(bench);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}

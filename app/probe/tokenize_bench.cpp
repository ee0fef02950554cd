// `headway-probe tokenize-bench`: how long prompts take to become ids, and what it costs in memory.
// A vocabulary is loaded anew for each text, so that nothing of the text was met before; then its
// pieces are encoded one after the other, each for the first time as long as the text lasts.
#include "app/command/text_table.h"
#include "app/probe/bench_texts.h"
#include "app/probe/probe_commands.h"
#include "app/probe/probe_tokenizer.h"
#include "engine/base/utf8.h"
#include "engine/loop/memory_reading.h"
#include "kernels/ops.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>

namespace app {

namespace {

constexpr std::array<std::size_t, 3> kPromptTokens = {1024, 8192, 16384};

struct BenchArguments {
    std::string model, texts;
    int repetitions = 15;
    bool asJson = false;
};

// Ascending, in milliseconds.
struct Times {
    std::vector<double> sorted;

    void add(double milliseconds) {
        sorted.insert(std::ranges::upper_bound(sorted, milliseconds), milliseconds);
    }
    // By nearest rank.
    double at(double part) const {
        const double rank = std::ceil(part * static_cast<double>(sorted.size()));
        return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
    }
    double median() const {
        const std::size_t middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted[middle]
                                      : (sorted[middle - 1] + sorted[middle]) / 2.0;
    }
};

struct PromptResult {
    std::string text;
    std::size_t tokens = 0, bytes = 0; // of the first piece; the others have as many bytes
    Times latency;                     // the vocabulary is there
    Times withLoad;                    // the vocabulary is loaded first
    std::size_t repeats = 0;           // pieces that had been met before: the text was too short
};

struct WholeResult {
    std::string text;
    std::size_t tokens = 0, bytes = 0;
    double milliseconds = 0;
};

struct BenchResults {
    std::vector<PromptResult> prompts;
    std::vector<WholeResult> wholes;
    Times load;
    std::int64_t vocabulary = 0;
    std::uint64_t vocabularyBytes = 0, peakBytes = 0;
};

template <class Work>
double milliseconds(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

// Most memory that this process has had at once.
std::uint64_t peakBytes() {
    std::ifstream stream("/proc/self/status");
    constexpr std::string_view kKey = "VmHWM:";
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(kKey)) {
            return std::strtoull(line.c_str() + kKey.size(), nullptr, 10) * 1024;
        }
    }
    return engine::readMemory().processBytes;
}

// Pieces of a text, one after the other; from its beginning again once it is over.
class Pieces {
public:
    Pieces(std::string_view text, std::size_t bytes) : m_text(text), m_bytes(bytes) {}

    std::string next() {
        std::string piece;
        while (piece.size() < m_bytes) {
            const std::string_view rest = m_text.substr(m_at);
            const std::size_t taken = engine::utf8Floor(rest, m_bytes - piece.size());
            if (taken == 0) {
                break; // less than a character is left
            }
            piece += rest.substr(0, taken);
            m_at += taken;
            if (m_at == m_text.size()) {
                m_at = 0;
                m_wasAll = true;
            }
        }
        m_repeats += m_wasAll ? 1 : 0;
        return piece;
    }
    std::size_t repeats() const { return m_repeats; }

private:
    std::string_view m_text;
    std::size_t m_bytes, m_at = 0, m_repeats = 0;
    bool m_wasAll = false;
};

std::size_t encoded(const ProbeTokenizer& opened, const std::string& text) {
    return opened.tokenizer().encode(text, engine::SpecialTokens::Escape).size();
}

WholeResult measureWhole(const BenchArguments& arguments, const BenchText& text) {
    // Prompts of 64 KiB: nobody sends ten megabytes at once.
    constexpr std::size_t kPrompt = 64 * 1024;
    const ProbeTokenizer opened(arguments.model);
    WholeResult result{.text = text.name, .bytes = text.text.size()};
    for (std::string_view rest = text.text; !rest.empty();) {
        const std::string piece(rest.substr(0, engine::utf8Floor(rest, kPrompt)));
        result.milliseconds += milliseconds([&] { result.tokens += encoded(opened, piece); });
        rest.remove_prefix(piece.size());
    }
    return result;
}

PromptResult measurePrompts(const BenchArguments& arguments, const BenchText& text,
                            const WholeResult& whole, std::size_t tokens) {
    constexpr int kLoads = 5;
    const std::size_t bytes =
        std::max<std::size_t>(4, tokens * whole.bytes / std::max<std::size_t>(1, whole.tokens));
    PromptResult result;
    result.text = text.name;
    result.bytes = bytes;
    Pieces pieces(text.text, bytes);
    const ProbeTokenizer opened(arguments.model);
    for (int i = 0; i < arguments.repetitions; ++i) {
        const std::string piece = pieces.next();
        std::size_t count = 0;
        result.latency.add(milliseconds([&] { count = encoded(opened, piece); }));
        result.tokens = i == 0 ? count : result.tokens;
    }
    result.repeats = pieces.repeats();
    for (int i = 0; i < std::min(kLoads, arguments.repetitions); ++i) {
        const std::string piece = pieces.next();
        result.withLoad.add(milliseconds([&] { encoded(ProbeTokenizer(arguments.model), piece); }));
    }
    return result;
}

BenchResults measure(const BenchArguments& arguments) {
    const auto texts = benchTexts(arguments.texts);
    BenchResults results;
    {
        const std::uint64_t before = engine::readMemory().processBytes;
        const ProbeTokenizer opened(arguments.model);
        const std::uint64_t after = engine::readMemory().processBytes;
        results.vocabulary = opened.tokenizer().size();
        results.vocabularyBytes = after - std::min(before, after);
    }
    for (int i = 0; i < arguments.repetitions; ++i) {
        results.load.add(milliseconds([&] { const ProbeTokenizer opened(arguments.model); }));
    }
    for (const BenchText& text : texts) {
        results.wholes.push_back(measureWhole(arguments, text));
        for (const std::size_t tokens : kPromptTokens) {
            results.prompts.push_back(
                measurePrompts(arguments, text, results.wholes.back(), tokens));
        }
    }
    results.peakBytes = peakBytes();
    return results;
}

nlohmann::ordered_json timesJson(const Times& times) {
    return {{"median", times.median()},
            {"min", times.sorted.front()},
            {"p90", times.at(0.9)},
            {"max", times.sorted.back()},
            {"n", times.sorted.size()}};
}

double tokensPerSecond(const PromptResult& result) {
    return static_cast<double>(result.tokens) * 1e3 / result.latency.median();
}

std::string benchJson(const BenchResults& results) {
    nlohmann::ordered_json document;
    document["machine"] = {{"cpu", kernels::describeMachine().cpu}, {"threads", 1}};
    document["vocabulary"] = {{"tokens", results.vocabulary},
                              {"load_ms", timesJson(results.load)},
                              {"bytes", results.vocabularyBytes}};
    document["peak_bytes"] = results.peakBytes;
    document["results"] = nlohmann::ordered_json::array();
    for (const PromptResult& result : results.prompts) {
        document["results"].push_back({{"text", result.text},
                                       {"tokens", result.tokens},
                                       {"bytes", result.bytes},
                                       {"tokens_per_s", tokensPerSecond(result)},
                                       {"latency_ms", timesJson(result.latency)},
                                       {"with_load_ms", timesJson(result.withLoad)},
                                       {"repeats", result.repeats}});
    }
    document["whole_texts"] = nlohmann::ordered_json::array();
    for (const WholeResult& whole : results.wholes) {
        document["whole_texts"].push_back(
            {{"text", whole.text},
             {"tokens", whole.tokens},
             {"bytes", whole.bytes},
             {"ms", whole.milliseconds},
             {"tokens_per_s", static_cast<double>(whole.tokens) * 1e3 / whole.milliseconds},
             {"bytes_per_s", static_cast<double>(whole.bytes) * 1e3 / whole.milliseconds}});
    }
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string benchTable(const BenchResults& results) {
    TextTable prompts({{"text"},
                       {"tokens", Align::Right},
                       {"median ms", Align::Right},
                       {"min", Align::Right},
                       {"p90", Align::Right},
                       {"max", Align::Right},
                       {"tok/s", Align::Right},
                       {"with load ms", Align::Right},
                       {"n", Align::Right}});
    bool hasRepeats = false;
    for (const PromptResult& result : results.prompts) {
        const Times& latency = result.latency;
        hasRepeats = hasRepeats || result.repeats > 0;
        prompts.add(
            {result.text, std::to_string(result.tokens), fmt::format("{:.3f}", latency.median()),
             fmt::format("{:.3f}", latency.sorted.front()), fmt::format("{:.3f}", latency.at(0.9)),
             fmt::format("{:.3f}", latency.sorted.back()),
             fmt::format("{:.0f}", tokensPerSecond(result)),
             fmt::format("{:.1f}", result.withLoad.median()),
             std::to_string(latency.sorted.size())});
    }
    TextTable wholes({{"text"},
                      {"bytes", Align::Right},
                      {"tokens", Align::Right},
                      {"MB/s", Align::Right},
                      {"tok/s", Align::Right}});
    for (const WholeResult& whole : results.wholes) {
        wholes.add(
            {whole.text, std::to_string(whole.bytes), std::to_string(whole.tokens),
             fmt::format("{:.1f}", static_cast<double>(whole.bytes) / 1e3 / whole.milliseconds),
             fmt::format("{:.0f}", static_cast<double>(whole.tokens) * 1e3 / whole.milliseconds)});
    }
    return fmt::format("{}, one thread\n"
                       "Vocabulary of {} tokens: ready in {:.1f} ms (median of {}), {} of memory; "
                       "at most {} in all\n\nPrompts{}\n{}\nEach text once, in prompts of 64 KiB\n"
                       "{}",
                       kernels::describeMachine().cpu, results.vocabulary, results.load.median(),
                       results.load.sorted.size(), bytesText(results.vocabularyBytes),
                       bytesText(results.peakBytes),
                       hasRepeats ? " (some of them met before: the texts are short; give longer "
                                    "ones with --texts)"
                                  : "",
                       prompts.text(), wholes.text());
}

ExitStatus tokenizeBench(const BenchArguments& arguments) {
    const BenchResults results = measure(arguments);
    printOut(arguments.asJson ? benchJson(results) + "\n" : benchTable(results));
    return ExitStatus::Done;
}

} // namespace

void declareTokenizeBench(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<BenchArguments>();
    command.add_option("MODEL", arguments->model, "Model file; its vocabulary is read only")
        ->required();
    command.add_option("--texts", arguments->texts,
                       "Folder of .txt files to encode; default: three short texts");
    command.add_option("-r,--repetitions", arguments->repetitions, "Measurements of each")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return tokenizeBench(*arguments); }; });
}

} // namespace app

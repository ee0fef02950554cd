// `headway-probe quality`: what a precision costs, measured against another one over texts.
#include "engine/quality.h"

#include "app/command/text_table.h"
#include "app/probe/precision_flags.h"
#include "app/probe/probe_commands.h"
#include "app/probe/probe_tokenizer.h"
#include "engine/evaluate.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

struct QualityArguments {
    std::string model;
    std::vector<std::string> texts;
    std::int64_t passage = 1024, chunk = 256, tokens = 0;
    bool asJson = false;
    engine::EvaluatorOptions options;
    PrecisionFlags precision, reference;
};

// Passages of a text, each computed from its own beginning; a last short one is left out.
std::vector<std::vector<engine::TokenId>> passagesOf(const QualityArguments& arguments) {
    const ProbeTokenizer tokenizer(arguments.model);
    std::vector<std::vector<engine::TokenId>> passages;
    std::int64_t total = 0;
    for (const std::string& file : arguments.texts) {
        const auto ids =
            tokenizer.tokenizer().encode(readTextFile(file), engine::SpecialTokens::Escape);
        for (std::size_t at = 0; at + static_cast<std::size_t>(arguments.passage) <= ids.size();
             at += static_cast<std::size_t>(arguments.passage)) {
            if (arguments.tokens > 0 && total >= arguments.tokens) {
                return passages;
            }
            const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
            passages.emplace_back(begin, begin + arguments.passage);
            total += arguments.passage;
        }
    }
    return passages;
}

engine::QualityFigures compare(const QualityArguments& arguments,
                               const std::vector<std::vector<engine::TokenId>>& passages) {
    engine::EvaluatorOptions referenceOptions = arguments.options;
    arguments.reference.applyTo(referenceOptions);
    engine::EvaluatorOptions options = arguments.options;
    arguments.precision.applyTo(options);
    const auto reference = orFail(engine::openEvaluator(arguments.model, referenceOptions));
    const auto candidate = orFail(engine::openEvaluator(arguments.model, options));
    engine::QualitySum sum;
    for (const auto& ids : passages) {
        std::vector<engine::TopTokens> expected;
        orFail(reference->logits(ids, arguments.chunk, engine::LogitRows::All,
                                 [&](std::int64_t position, std::span<const float> logits) {
                                     const auto next = static_cast<std::size_t>(position) + 1;
                                     if (next < ids.size()) {
                                         expected.push_back(engine::topTokens(logits, ids[next]));
                                     }
                                 }));
        orFail(candidate->logits(ids, arguments.chunk, engine::LogitRows::All,
                                 [&](std::int64_t position, std::span<const float> logits) {
                                     const auto at = static_cast<std::size_t>(position);
                                     if (at + 1 < ids.size()) {
                                         sum.add(expected[at], logits, ids[at + 1]);
                                     }
                                 }));
        sum.endPassage();
        printNote(fmt::format("{} of {} tokens", sum.tokens(),
                              static_cast<std::int64_t>(passages.size()) * arguments.passage));
    }
    const auto figures = sum.figures();
    if (!figures) {
        throw CommandError(ExitStatus::Failed, "The logits are no numbers.");
    }
    return *figures;
}

nlohmann::ordered_json intervalJson(const engine::Interval& interval) {
    nlohmann::ordered_json json{{"value", interval.value}};
    if (interval.low && interval.high) {
        json["low"] = *interval.low;
        json["high"] = *interval.high;
    }
    return json;
}

std::string intervalText(const engine::Interval& interval, double factor, const char* unit) {
    const std::string value = fmt::format("{:.4g}{}", interval.value * factor, unit);
    return interval.low && interval.high
               ? fmt::format("{} ({:.4g} to {:.4g}{})", value, *interval.low * factor,
                             *interval.high * factor, unit)
               : value;
}

ExitStatus quality(const QualityArguments& arguments) {
    const auto passages = passagesOf(arguments);
    if (passages.empty()) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("No text has a passage of {} tokens.", arguments.passage));
    }
    const engine::QualityFigures figures = compare(arguments, passages);
    if (arguments.asJson) {
        nlohmann::ordered_json document{
            {"tokens", figures.tokens},
            {"passages", figures.passages},
            {"reference_perplexity", figures.referencePerplexity},
            {"perplexity", figures.perplexity},
            {"perplexity_change", intervalJson(figures.perplexityChange)},
            {"mean_kl", intervalJson(figures.meanKl)},
            {"top_agreement", intervalJson(figures.topAgreement)}};
        printOut(document.dump(2) + "\n");
        return ExitStatus::Done;
    }
    TextTable table({{"figure"}, {"value (95 % interval)"}});
    table.add({"tokens predicted", std::to_string(figures.tokens)});
    table.add({"perplexity", fmt::format("{:.4f}, reference {:.4f}", figures.perplexity,
                                         figures.referencePerplexity)});
    table.add({"perplexity change", intervalText(figures.perplexityChange, 100.0, " %")});
    table.add({"mean KL", intervalText(figures.meanKl, 1.0, "")});
    table.add({"same likeliest token", intervalText(figures.topAgreement, 100.0, " %")});
    printOut(table.text());
    return ExitStatus::Done;
}

} // namespace

void declareQuality(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<QualityArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    command.add_option("--text", arguments->texts, "Text files, at least one")->required();
    command.add_option("--passage", arguments->passage, "Tokens that are computed as one sequence")
        ->check(CLI::Range(2, 1'048'576))
        ->capture_default_str();
    command.add_option("--tokens", arguments->tokens, "Most tokens in all; 0: all")
        ->check(CLI::Range(0, 100'000'000));
    command.add_option("--chunk", arguments->chunk, "Tokens computed at a time")
        ->check(CLI::Range(1, 65'536));
    command.add_option("--threads", arguments->options.threads, "0: every core")
        ->check(CLI::Range(0, 1024));
    arguments->precision.declare(command);
    arguments->reference.declare(command, "reference-");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return quality(*arguments); }; });
}

} // namespace app

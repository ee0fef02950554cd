// `headway-probe generate`: one answer, streamed, with its stamps and ledger.
#include "app/command/number_check.h"
#include "app/command/setting_flags.h"
#include "app/probe/probe_commands.h"
#include "app/probe/probe_tokenizer.h"
#include "engine/backend.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>

namespace app {

namespace {

using engine::TimePoint;

struct GenerateArguments {
    std::string model, prompt, promptFile, system;
    const CLI::Option* promptOption = nullptr; // an empty prompt is given too
    bool isChat = false, showIds = false, asJson = false, ignoresEnd = false;
    int maxTokens = 128;
    engine::Thinking thinking = engine::Thinking::Default;
    engine::Sampling sampling;
    SettingFlags settings;
};

engine::Request requestOf(const GenerateArguments& arguments) {
    if ((arguments.promptOption->count() > 0) != arguments.promptFile.empty()) {
        throw CommandError(ExitStatus::Usage, "Give either --prompt TEXT or --prompt-file FILE.");
    }
    std::string text =
        arguments.promptFile.empty() ? arguments.prompt : readTextFile(arguments.promptFile);
    engine::Request request;
    if (arguments.isChat || !arguments.system.empty()) {
        std::vector<engine::ChatMessage> messages;
        if (!arguments.system.empty()) {
            messages.push_back({.role = "system", .content = arguments.system});
        }
        messages.push_back({.role = "user", .content = std::move(text)});
        request.prompt = std::move(messages);
    } else {
        request.prompt = std::move(text);
    }
    request.thinking = arguments.thinking;
    request.maxTokens = arguments.maxTokens;
    request.sampling = arguments.sampling;
    request.ignoreEnd = arguments.ignoresEnd;
    request.label = "probe";
    return request;
}

struct Answer {
    std::string text;
    std::vector<engine::TokenId> ids;
    engine::FinishReason reason = engine::FinishReason::Failed;
    std::string message;
    std::shared_ptr<const engine::RequestRecord> record;
};

Answer collect(engine::TokenStream& stream, bool prints) {
    Answer answer;
    while (auto chunk = stream.waitNext(std::chrono::seconds(1))) {
        answer.text += chunk->text;
        answer.ids.insert(answer.ids.end(), chunk->ids.begin(), chunk->ids.end());
        if (prints) {
            printOut(chunk->text);
            std::fflush(stdout);
        }
    }
    answer.reason = stream.finishReason().value_or(engine::FinishReason::Failed);
    answer.message = stream.message();
    answer.record = stream.record();
    return answer;
}

double milliseconds(engine::Nanoseconds span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

// Milliseconds since the request was received; what did not happen is left out.
nlohmann::ordered_json stampsJson(const engine::Stamps& stamps) {
    const std::pair<const char*, const std::optional<TimePoint>*> rows[] = {
        {"received_ms", &stamps.received},          {"tokenized_ms", &stamps.tokenized},
        {"admitted_ms", &stamps.admitted},          {"planned_ms", &stamps.planned},
        {"kv_ready_ms", &stamps.kvReady},           {"prefill_done_ms", &stamps.prefillDone},
        {"first_sampled_ms", &stamps.firstSampled}, {"first_visible_ms", &stamps.firstVisible},
        {"last_token_ms", &stamps.lastToken},       {"finished_ms", &stamps.finished}};
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& [name, stamp] : rows) {
        if (*stamp && stamps.received) {
            json[name] = milliseconds(**stamp - *stamps.received);
        }
    }
    return json;
}

std::string answerJson(const Answer& answer, const std::vector<engine::TokenId>& promptIds,
                       const engine::Capabilities& model) {
    nlohmann::ordered_json document;
    document["model"] = model.modelName;
    document["prompt_ids"] = promptIds;
    document["output_ids"] = answer.ids;
    document["text"] = answer.text;
    document["finish_reason"] = name(answer.reason);
    if (!answer.message.empty()) {
        document["message"] = answer.message;
    }
    if (answer.record) {
        const engine::RequestRecord& record = *answer.record;
        document["prompt_tokens"] = record.promptTokens;
        document["output_tokens"] = record.outputTokens;
        if (const auto ttft = record.ttft()) {
            document["ttft_ms"] = milliseconds(*ttft);
        }
        if (const auto tpot = record.tpot()) {
            document["tpot_ms"] = milliseconds(*tpot);
        }
        if (const auto whole = record.e2e()) {
            document["e2e_ms"] = milliseconds(*whole);
        }
        document["stamps_ms"] = stampsJson(record.stamps);
        if (record.ledgerNs) {
            for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
                document["ledger_ms"][std::string(name(static_cast<engine::Stage>(stage)))] =
                    static_cast<double>((*record.ledgerNs)[stage]) / 1e6;
            }
        }
    }
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "12 prompt tokens, TTFT 31.4 ms; 64 tokens at 58.1 tok/s; length"
std::string figuresLine(const Answer& answer) {
    if (!answer.record) {
        return std::string(name(answer.reason));
    }
    const engine::RequestRecord& record = *answer.record;
    std::string line = fmt::format("{} prompt tokens", record.promptTokens);
    if (const auto ttft = record.ttft()) {
        line += fmt::format(", TTFT {:.1f} ms", milliseconds(*ttft));
    }
    line += fmt::format("; {} tokens", record.outputTokens);
    if (const auto tpot = record.tpot(); tpot && tpot->count() > 0) {
        line += fmt::format(" at {:.1f} tok/s", 1000.0 / milliseconds(*tpot));
    }
    return line + fmt::format("; {}", name(answer.reason));
}

// A single answer comes sooner without requests that warm up, unless those are asked for.
engine::EngineConfig configOf(const GenerateArguments& arguments) {
    constexpr std::string_view kWarmUp = "load.warmup_requests";
    auto settings = arguments.settings.changed();
    if (std::ranges::none_of(settings, [&](const auto& one) { return one.first == kWarmUp; })) {
        settings.emplace_back(kWarmUp, "0");
    }
    return SettingFlags::applied(settings);
}

ExitStatus generate(const GenerateArguments& arguments) {
    const engine::Request request = requestOf(arguments);
    const engine::EngineConfig config = configOf(arguments);
    const auto backend = orFail(engine::makeEngine(arguments.model, config));
    const auto stream = backend->submit(request);
    const Answer answer = collect(*stream, !arguments.asJson && !arguments.showIds);
    if (arguments.asJson) {
        const ProbeTokenizer tokenizer(arguments.model);
        printOut(answerJson(answer, tokenizer.promptIds(request), backend->capabilities()) + "\n");
    } else {
        if (!answer.ids.empty()) { // an answer that was refused has no line to end
            printOut((arguments.showIds ? idsText(answer.ids) : std::string()) + "\n");
        }
        printNote(figuresLine(answer));
    }
    if (outcome(answer.reason) != engine::Outcome::Completed) {
        throw CommandError(ExitStatus::Failed, answer.message);
    }
    return ExitStatus::Done;
}

} // namespace

void declareGenerate(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<GenerateArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    arguments->promptOption =
        command.add_option("--prompt", arguments->prompt, "Text to go on from, or to answer");
    command.add_option("--prompt-file", arguments->promptFile, "The same from a file");
    command.add_flag("--chat", arguments->isChat, "Wrap the prompt in the model's chat format");
    command.add_option("--system", arguments->system, "System message; implies --chat");
    addThinking(command, arguments->thinking);
    command.add_option("--max-tokens", arguments->maxTokens, "Most tokens of the answer")
        ->check(CLI::Range(1, 1'000'000));
    command.add_option("--temperature", arguments->sampling.temperature, "0: greedy")
        ->check(within(0.0, 100.0));
    command.add_option("--top-k", arguments->sampling.topK, "0: off")
        ->check(CLI::Range(0, 10'000'000));
    command.add_option("--top-p", arguments->sampling.topP, "1: off")->check(within(0.0, 1.0));
    command.add_option("--min-p", arguments->sampling.minP, "0: off")->check(within(0.0, 1.0));
    command.add_option("--seed", arguments->sampling.seed, "Of the sampling");
    command.add_flag("--ignore-end", arguments->ignoresEnd, "Go on after an end token");
    command.add_flag("--ids", arguments->showIds, "Print token ids instead of text");
    command.add_flag("--json", arguments->asJson,
                     "One JSON document: ids, text, stamps, ledger, finish reason");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return generate(*arguments); }; });
}

} // namespace app

// `headway-probe chat-format`: the prompt that a chat format makes of messages.
#include "app/probe/chat_messages.h"
#include "app/probe/probe_commands.h"
#include "app/probe/probe_tokenizer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>

namespace app {

namespace {

struct FormatArguments {
    std::string model, format, messages;
    engine::Thinking thinking = engine::Thinking::Default;
    bool asJson = false;
};

std::unique_ptr<engine::ChatFormat> namedFormat(const std::string& name) {
    auto format = engine::chatFormatByName(name);
    if (format == nullptr) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("There is no chat format {}; there are {}.", name,
                                       fmt::join(engine::chatFormatNames(), ", ")));
    }
    return format;
}

ExitStatus chatFormat(const FormatArguments& arguments) {
    if (arguments.model.empty() && arguments.format.empty()) {
        throw CommandError(ExitStatus::Usage, "Give a model, or --format NAME.");
    }
    const auto messages = chatMessages(readTextFile(arguments.messages));
    std::optional<ProbeTokenizer> opened;
    if (!arguments.model.empty()) {
        opened.emplace(arguments.model);
    }
    const auto named = arguments.format.empty() ? nullptr : namedFormat(arguments.format);
    const engine::ChatFormat* const format = named ? named.get() : opened->chat();
    if (format == nullptr) {
        throw CommandError(ExitStatus::Failed,
                           "This model has no chat template; name a format with --format.");
    }
    if (format->isGeneric()) {
        printNote("The model's chat template is not known; this is the generic format.");
    }
    std::string text;
    for (const engine::PromptPiece& piece : format->render(messages, arguments.thinking)) {
        text += piece.text;
    }
    if (!arguments.asJson) {
        printOut(text + "\n");
        return ExitStatus::Done;
    }
    nlohmann::ordered_json document = {{"format", std::string(format->name())}, {"text", text}};
    if (opened) {
        engine::Request request;
        request.prompt = messages;
        request.thinking = arguments.thinking;
        document["ids"] = orFail(engine::encodePrompt(opened->tokenizer(), format, request));
    }
    printOut(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return ExitStatus::Done;
}

} // namespace

void addThinking(CLI::App& command, engine::Thinking& thinking) {
    command
        .add_option_function<std::string>(
            "--thinking",
            [&thinking](const std::string& text) {
                thinking = text == "on" ? engine::Thinking::On : engine::Thinking::Off;
            },
            "Whether the model reasons first, where the format has a say")
        ->check(CLI::IsMember({"on", "off"}))
        ->type_name("on|off");
}

void declareChatFormat(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<FormatArguments>();
    command.add_option("MODEL", arguments->model, "Model file; its chat format and vocabulary");
    command.add_option("--format", arguments->format,
                       "Format by name instead: " +
                           fmt::format("{}", fmt::join(engine::chatFormatNames(), ", ")));
    command.add_option("--messages", arguments->messages, "JSON file of messages")->required();
    addThinking(command, arguments->thinking);
    command.add_flag("--json", arguments->asJson, "Text, and with a model ids, as JSON");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return chatFormat(*arguments); }; });
}

} // namespace app

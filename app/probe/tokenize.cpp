// `headway-probe tokenize` and `detokenize`: text to ids and back.
#include "app/probe/probe_commands.h"
#include "app/probe/probe_tokenizer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace app {

namespace {

struct TokenizeArguments {
    std::string model, ids;
    std::optional<std::string> text;
    std::string file;
    bool readsLines = false, parsesSpecial = false, asJson = false;

    engine::SpecialTokens special() const {
        return parsesSpecial ? engine::SpecialTokens::Parse : engine::SpecialTokens::Escape;
    }
};

std::string tokensJson(const engine::Tokenizer& tokenizer,
                       const std::vector<engine::TokenId>& ids) {
    nlohmann::ordered_json document;
    document["tokens"] = ids.size();
    document["ids"] = ids;
    document["pieces"] = nlohmann::ordered_json::array();
    for (const engine::TokenId id : ids) {
        document["pieces"].push_back(std::string(tokenizer.pieceText(id)));
    }
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One JSON string a line in, one array of ids a line out.
void tokenizeLines(const engine::Tokenizer& tokenizer, engine::SpecialTokens special) {
    std::int64_t number = 0;
    for (std::string line; std::getline(std::cin, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        const auto text = nlohmann::json::parse(line, nullptr, false);
        if (!text.is_string()) {
            throw CommandError(
                ExitStatus::Failed,
                fmt::format("Line {} of the input is no JSON string; each line must be one.",
                            number));
        }
        const auto ids = tokenizer.encode(text.get_ref<const std::string&>(), special);
        printOut(fmt::format("[{}]\n", fmt::join(ids, ",")));
    }
}

ExitStatus tokenize(const TokenizeArguments& arguments) {
    const int sources = (arguments.text ? 1 : 0) + (arguments.file.empty() ? 0 : 1) +
                        (arguments.readsLines ? 1 : 0);
    if (sources != 1) {
        throw CommandError(ExitStatus::Usage,
                           "Give one of --text TEXT, --file FILE and --stdin-jsonl.");
    }
    const ProbeTokenizer opened(arguments.model);
    if (arguments.readsLines) {
        tokenizeLines(opened.tokenizer(), arguments.special());
        return ExitStatus::Done;
    }
    const std::string text = arguments.text ? *arguments.text : readTextFile(arguments.file);
    const auto ids = opened.tokenizer().encode(text, arguments.special());
    printOut((arguments.asJson ? tokensJson(opened.tokenizer(), ids) : idsText(ids)) + "\n");
    return ExitStatus::Done;
}

ExitStatus detokenize(const TokenizeArguments& arguments) {
    const auto ids = parseIds(arguments.ids);
    const ProbeTokenizer opened(arguments.model);
    for (const engine::TokenId id : ids) {
        if (id >= opened.tokenizer().size()) {
            throw CommandError(ExitStatus::Failed,
                               fmt::format("Token {} does not exist; ids go from 0 to {}.", id,
                                           opened.tokenizer().size() - 1));
        }
    }
    std::string text = engine::detokenize(opened.tokenizer(), ids, arguments.parsesSpecial);
    if (arguments.asJson) {
        const nlohmann::ordered_json document = {{"text", text}};
        text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    printOut(text + "\n");
    return ExitStatus::Done;
}

} // namespace

void declareTokenize(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<TokenizeArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    command.add_option("--text", arguments->text, "Text to encode");
    command.add_option("--file", arguments->file, "File whose text is encoded");
    command.add_flag("--stdin-jsonl", arguments->readsLines,
                     "One JSON string a line in, one array of ids a line out");
    command.add_flag("--special", arguments->parsesSpecial,
                     "Control tokens in the text become their ids");
    command.add_flag("--json", arguments->asJson, "Ids and pieces as one JSON document");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return tokenize(*arguments); }; });
}

void declareDetokenize(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<TokenizeArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    command.add_option("--ids", arguments->ids, "Token ids, 1,2,3")->required();
    command.add_flag("--special", arguments->parsesSpecial, "Show control tokens");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return detokenize(*arguments); }; });
}

} // namespace app

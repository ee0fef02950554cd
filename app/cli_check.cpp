// `headway check-db`: whether a run log is sound, and what can be saved of one that is not.
#include "app/cli_commands.h"
#include "app/command/text_table.h"
#include "app/store/salvage.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
    std::string file, salvage;
    bool asJson = false;
};

Json salvageJson(const Salvage& salvage) {
    Json json = {{"runs", salvage.runs}, {"nameless_runs", salvage.namelessRuns}};
    for (const SavedTable& table : salvage.tables) {
        json["tables"].push_back(
            {{"table", table.table}, {"rows", table.rows}, {"is_whole", table.isWhole}});
    }
    return json;
}

std::string salvageText(const Salvage& salvage, const std::string& target) {
    TextTable table({{"table"}, {"rows saved", Align::Right}, {""}});
    for (const SavedTable& saved : salvage.tables) {
        table.add({saved.table, std::to_string(saved.rows), saved.isWhole ? "" : "partly"});
    }
    std::string text = table.text() + fmt::format("{} runs are in {}", salvage.runs, target);
    if (salvage.namelessRuns > 0) {
        text += fmt::format(", {} of them without their name", salvage.namelessRuns);
    }
    return text + ".\n";
}

ExitStatus runCheck(const CheckArguments& arguments) {
    const LogCheck check = orFail(checkLog(arguments.file));
    Json json = {{"is_sound", check.isSound}, {"runs", check.runs}, {"problems", check.problems}};
    std::string text = check.isSound
                           ? fmt::format("{} is sound; {} runs.\n", arguments.file, check.runs)
                           : fmt::format("{} is damaged:\n", arguments.file);
    for (const std::string& problem : check.problems) {
        text += "  " + problem + "\n";
    }
    std::int64_t savedRuns = 0;
    if (!arguments.salvage.empty()) {
        const Salvage salvage = orFail(salvageLog(arguments.file, arguments.salvage));
        savedRuns = salvage.runs;
        json["salvage"] = salvageJson(salvage);
        text += salvageText(salvage, arguments.salvage);
    } else if (!check.isSound) {
        text += "What can be read is saved by: headway check-db " + arguments.file +
                " --salvage OUT.db\n";
    }
    printOut(arguments.asJson ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                              : text);
    const bool isDone = check.isSound || savedRuns > 0;
    return isDone ? ExitStatus::Done : ExitStatus::Failed;
}

} // namespace

void declareCheckDb(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<CheckArguments>();
    command.add_option("DB", arguments->file, "The run log")->required();
    command.add_option("--salvage", arguments->salvage, "Save what can be read into a new file");
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runCheck(*arguments); }; });
}

} // namespace app

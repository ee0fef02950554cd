// `headway schema`: what the JSON documents hold, as a JSON Schema.
#include "app/cli_commands.h"

#include <QFile>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> kDocuments = {
    "summary", "run",    "comparison", "comparison_of_many", "experiment", "claims", "tune",
    "advise",  "replay", "simulate"};

std::string schemaOf(const std::string& document) {
    if (std::ranges::find(kDocuments, document) == kDocuments.end()) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("There is no document \"{}\": name one of {}.", document,
                                       fmt::join(kDocuments, ", ")));
    }
    QFile file(QStringLiteral(":/headway/schemas/documents.json"));
    file.open(QIODevice::ReadOnly);
    Json schema = Json::parse(file.readAll().toStdString());
    schema["$ref"] = "#/$defs/" + document;
    return schema.dump(2) + "\n";
}

} // namespace

void declareSchema(CLI::App& command, ChosenCommand& chosen) {
    const auto document = std::make_shared<std::string>("run");
    command.add_option("DOCUMENT", *document,
                       fmt::format("One of {} (default: run)", fmt::join(kDocuments, ", ")));
    command.callback([document, &chosen] {
        chosen = [document] {
            printOut(schemaOf(*document));
            return ExitStatus::Done;
        };
    });
}

} // namespace app

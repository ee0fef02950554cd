// `headway fields`: the settings table, for people and scripts.
#include "app/cli_commands.h"
#include "app/command/field_text.h"
#include "app/command/text_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

std::string fieldsJson() {
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    const engine::EngineConfig defaults;
    for (const engine::Field& field : engine::fieldTable()) {
        nlohmann::ordered_json row;
        row["field"] = field.key;
        row["flag"] = field.flag;
        row["group"] = field.group;
        row["label"] = field.label;
        row["unit"] = field.unit;
        if (field.type == engine::FieldType::Integer) {
            row["minimum"] = field.minimum;
            row["maximum"] = field.maximum;
        } else {
            row["choices"] = field.choices;
        }
        row["default"] = engine::valueText(field, defaults);
        if (!field.zeroMeans.empty()) {
            row["zero_means"] = field.zeroMeans;
        }
        row["takes_effect"] = name(field.takesEffect);
        row["help"] = field.help;
        document.push_back(std::move(row));
    }
    return document.dump(2);
}

std::string fieldsText() {
    TextTable table({{"flag"}, {"values"}, {"default"}, {"takes effect"}, {"meaning"}});
    for (const engine::Field& field : engine::fieldTable()) {
        table.add({std::string(field.flag), allowedText(field), defaultText(field),
                   std::string(name(field.takesEffect)), std::string(field.help)});
    }
    return table.text();
}

} // namespace

void declareFields(CLI::App& command, ChosenCommand& chosen) {
    const auto asJson = std::make_shared<bool>(false);
    command.add_flag("--json", *asJson, "One JSON document on standard output");
    command.callback([asJson, &chosen] {
        chosen = [asJson] {
            printOut(*asJson ? fieldsJson() + "\n" : fieldsText());
            return ExitStatus::Done;
        };
    });
}

} // namespace app

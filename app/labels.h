// What tables of the engine are called for people: every key's label in the chosen language,
// numbers as text. Main thread (translations).
#pragma once

#include "engine/config.h"
#include "engine/events.h"

#include <QString>

#include <optional>

namespace app {

QString fieldLabel(const engine::Field& field);
QString fieldHelp(const engine::Field& field);
QString fieldGroupLabel(std::string_view group);
QString choiceLabel(const engine::Field& field, std::string_view choice); // of a value's text
QString idleReasonLabel(std::string_view english);
QString stageLabel(engine::Stage stage);
QString outcomeLabel(engine::Outcome outcome);
QString finishLabel(engine::FinishReason reason);
QString stateLabel(engine::EngineState state);
QString laneLabel(engine::Lane lane);
QString sourceLabel(engine::EventSource source);
// One sentence about an event, from kind and payload.
QString eventText(const engine::Event& event);

// Numbers for people: thousands separated, true minus, at most `decimals`. Empty optional: an em
// dash.
QString numberText(double value, int decimals = 0);
QString numberText(std::optional<double> value, int decimals = 0);
QString bytesText(std::uint64_t bytes); // "742 MiB"
QString millisecondsText(
    std::optional<double> milliseconds); // "19.1", "348", "1,112": three significant digits

} // namespace app

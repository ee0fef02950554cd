// What tables of the engine are called for people: every key's label in the chosen language,
// numbers as text. Main thread (translations).
//
// Notices and their values, as eventText() knows them (an unknown kind is shown with its pairs):
//   model_loaded {model}                 load_failed {message}
//   run_started {run, name}              run_finished {run}
//   workload_started {workload}          workload_finished {workload}   workload_stopped {workload}
//   stage {stage, kind: closed|poisson|gamma, rate | users, to_rate?, seconds}
//   edit_refused {field, value, reason}  recording_problem {message}
//   alarm_raised, alarm_cleared {alarm, value?, limit, n}
//   degradation_changed {before, after, cause, n, p90_ms?, low_ms?, limit_ms?, recovery_s}
//   degradation_effect {before, after, verdict, before_ms, after_ms, n_before, n_after}
//   degradation_refused {level, reason}
//   light_model_ready {model}            light_model_failed {model, reason}
//   adapter_loaded {name, rank, weights, mib}  adapter_unloaded {name}
//   answers_unread {reason}              answers_unwritten {reason}
//   marker {text}                        (a note of the operator)
#pragma once

#include "engine/config.h"
#include "engine/events.h"

#include <QString>

#include <optional>
#include <span>

namespace app {

QString fieldLabel(const engine::Field& field);
QString fieldHelp(const engine::Field& field);
QString fieldGroupLabel(std::string_view group);
QString zeroLabel(const engine::Field& field); // what 0 means, "from memory"; empty if nothing
QString unitLabel(const engine::Field& field); // empty without one
QString choiceLabel(const engine::Field& field, std::string_view choice); // of a value's text
QString sentenceLabel(std::string_view english); // of the engine, with numbers or without
QString metricLabel(const engine::Metric& metric);
QString stageLabel(engine::Stage stage);
QString outcomeLabel(engine::Outcome outcome);
QString finishLabel(engine::FinishReason reason);
QString stateLabel(engine::EngineState state);
QString laneLabel(engine::Lane lane);
QString sourceLabel(engine::EventSource source);
QString alarmLabel(std::string_view key); // of a rule; the key itself where there is none
// One sentence about an event, from kind and payload.
QString eventText(const engine::Event& event);
// False for what only programs read: measured step costs, kept for simulations.
bool isForPeople(const engine::Event& event);
// A few words for the pin on a chart: "dynamic → continuous", "16/s".
QString markerText(const engine::Event& event);

// A text of the engine's tables in the chosen language; English where there is no translation.
QString engineText(std::string_view english);
// Every text of the engine's tables that is translated: a field, metric or choice that is missing
// here would stay English (tst_tree).
std::span<const char* const> engineTexts();

// Numbers for people: thousands separated, true minus, `decimals` of them. What is absent or not a
// number: an em dash.
QString numberText(double value, int decimals = 0);
QString numberText(std::optional<double> value, int decimals = 0);
QString bytesText(std::uint64_t bytes); // "742 MiB"
QString millisecondsText(
    std::optional<double> milliseconds); // "19.1", "348", "1,112": three significant digits

} // namespace app

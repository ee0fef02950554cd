// What one setting looks like and says: the states of CONSOLE.md section 5 as a pure function of
// field, status and a refusal. UI thread (translations).
#pragma once

#include "engine/config.h"

#include <QString>

#include <optional>

namespace ui {

enum class FieldLook : std::uint8_t {
    Normal,
    Pending,
    Preparing,
    Differs,
    Held,
    Refused,
    Disabled
};

// A value that was typed and not accepted; it stays in the editor until the next edit.
struct Refusal {
    QString typed;
    QString reason;
    std::optional<std::int64_t> nearest;
};

struct FieldView {
    FieldLook look = FieldLook::Normal;
    QString message;  // rich text, empty where nothing is to be said
    QString iconName; // before the message
    int percent = 0;  // of Preparing
};

FieldView describeField(const engine::Field& field, const engine::FieldStatus& status,
                        const engine::EngineConfig& requested, const Refusal* refusal);

// A value for people: "continuous", "1,024 tok", "from memory", "on".
QString fieldValueText(const engine::Field& field, std::string_view value);
// Unit, range, default, when it takes effect, flag.
QString fieldToolTip(const engine::Field& field);
// A line for each kind of tensors: what it is held in, and why where that is not what was asked.
QString weightsText(const std::vector<engine::WeightGroupStatus>& groups);
// The reasons alone, as the engine joins them, in the language of the window.
QString weightsReason(const std::vector<engine::WeightGroupStatus>& groups);

} // namespace ui

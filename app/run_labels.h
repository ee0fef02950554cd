// What runs and comparisons are called for people: measures, cautions, settings in short, when a
// run began. Main thread (translations).
#pragma once

#include "app/compare/comparison.h"

#include <QDateTime>
#include <QString>

namespace app {

QString measureLabel(std::string_view key); // "TTFT p50"
// A caution of a comparison as a sentence.
QString cautionText(std::string_view kind);
// "≤ 800 ms", a round number as someone wrote it; "no limit".
QString limitText(double milliseconds);
// "≤ 800 ms, no limit": of TTFT and TPOT, what goodput was counted within.
QString targetText(const RunInfo& run);
QString runStateLabel(RunState state);
// "continuous 16, budget 256": policy and slots, then what is not at its default. Effective values.
QString settingsText(const RunSummary& run);
// "today 14:31", "yesterday 09:12", "24 Nov 08:00" in the time zone of `now`.
QString startedText(const std::string& startedUtc, const QDateTime& now);
// "5c07…e1d2" of "xxh3:5c07....e1d2".
QString shortDigest(const std::string& digest);
// One line a fact of a run's machine: processor, threads, instruction set, memory, versions.
QStringList machineLines(const std::string& machineJson);

} // namespace app

// What experiments are called for people, in the chosen language: verdicts, claims, needs, what
// spoiled a block. Main thread (translations).
#pragma once

#include "app/experiment/claims.h"
#include "app/experiment/left_out.h"

#include <QString>

namespace app {

QString experimentTitle(const Experiment& experiment);
QString experimentNote(const Experiment& experiment);
QString experimentGroupLabel(std::string_view group);
QString claimVerdictLabel(ClaimVerdict verdict);                 // "holds", "does not hold"
QString claimedLabel(const Experiment& experiment);              // "≥ 1.52 ×"
QString claimFigure(const Experiment& experiment, double value); // "+12.3 %"
QString claimInterval(const Experiment& experiment, const Interval& interval);
QString needLabel(const std::string& need); // "a CUDA device"
QString leftOutLabel(const Experiment& experiment, const LeftOutRounds& rounds);
QString contaminationLabel(const Contamination& entry); // "3 requests preempted"
QString settingName(const std::string& key); // of the engine, or of the workload's own figures
QString experimentMeasureLabel(const Measure& measure);
// One line: what varies. "Batching: single / continuous", "Max batch 1 … 32".
QString variesText(const Experiment& experiment);
QString sideText(const Experiment& experiment, std::size_t side); // "continuous"
// The answer in one sentence.
QString answerText(const Experiment& experiment, const ExperimentVerdict& verdict);
// Every text of the library that is translated (a test compares).
std::span<const char* const> experimentTexts();

} // namespace app

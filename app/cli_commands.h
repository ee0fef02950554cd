// The commands of `headway`, each declared in its own file. Main thread.
#pragma once

#include "app/command/command.h"

namespace app {

void declareLoad(CLI::App& command, ChosenCommand& chosen);
void declareRuns(CLI::App& command, ChosenCommand& chosen);
void declareShow(CLI::App& command, ChosenCommand& chosen);
void declareReport(CLI::App& command, ChosenCommand& chosen);
void declareCompare(CLI::App& command, ChosenCommand& chosen);
void declareCalibrate(CLI::App& command, ChosenCommand& chosen);
void declareSimulate(CLI::App& command, ChosenCommand& chosen);
void declareServe(CLI::App& command, ChosenCommand& chosen);
void declareNginxConfig(CLI::App& command, ChosenCommand& chosen);
void declareExperiment(CLI::App& command, ChosenCommand& chosen);
void declareTune(CLI::App& command, ChosenCommand& chosen);
void declareAdvise(CLI::App& command, ChosenCommand& chosen);
void declareReplay(CLI::App& command, ChosenCommand& chosen);
void declareSchema(CLI::App& command, ChosenCommand& chosen);
void declareFields(CLI::App& command, ChosenCommand& chosen);
void declareAlarms(CLI::App& command, ChosenCommand& chosen);
void declareArchive(CLI::App& command, ChosenCommand& chosen);
void declareImport(CLI::App& command, ChosenCommand& chosen);
void declareCheckDb(CLI::App& command, ChosenCommand& chosen);
void declareMetrics(CLI::App& command, ChosenCommand& chosen);

} // namespace app

// The commands of `headway-probe`, each declared in its own file, and what they share. Main thread.
#pragma once

#include "app/command/command.h"
#include "engine/request.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace app {

void declareInspect(CLI::App& command, ChosenCommand& chosen);
void declareGenerate(CLI::App& command, ChosenCommand& chosen);
void declareLogits(CLI::App& command, ChosenCommand& chosen);
void declareTokenize(CLI::App& command, ChosenCommand& chosen);
void declareDetokenize(CLI::App& command, ChosenCommand& chosen);
void declareChatFormat(CLI::App& command, ChosenCommand& chosen);
void declareTokenizeBench(CLI::App& command, ChosenCommand& chosen);
void declareSynth(CLI::App& command, ChosenCommand& chosen);
void declareBench(CLI::App& command, ChosenCommand& chosen);
void declareCheck(CLI::App& command, ChosenCommand& chosen);
void declareRoofline(CLI::App& command, ChosenCommand& chosen);
void declareQuality(CLI::App& command, ChosenCommand& chosen);

// --isa NAME: an instruction set of this processor.
void addIsa(CLI::App& command, std::string& isa);
// --thinking on|off
void addThinking(CLI::App& command, engine::Thinking& thinking);
// "1,2,3" or "1 2 3"; CommandError for anything else.
std::vector<engine::TokenId> parseIds(std::string_view text);
std::string idsText(const std::vector<engine::TokenId>& ids); // "1,2,3"
// A whole file, at most 64 MiB; CommandError where it can't be read.
std::string readTextFile(const std::string& path);
std::string bytesText(std::uint64_t bytes); // "93.8 MiB"

} // namespace app

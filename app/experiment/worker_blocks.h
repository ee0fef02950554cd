// Blocks that are no workload: loading the model once more, prompts that are typed, texts that are
// only encoded. See block_work.h.
#pragma once

#include "app/experiment/block_work.h"

namespace app {

// Figures load_ms and first_ttft_ms; of tenants tenants_mib, how far the process grew.
std::unique_ptr<BlockWork> makeLoadWork(WorkSetup setup, PromptLibrary library);
// One user who writes for two seconds, then sends; typed prompts are fed meanwhile.
std::unique_ptr<BlockWork> makeTypingWork(WorkSetup setup, PromptLibrary library);
// Figures tokenize_ms and tokenize_mib, for texts of the workload's prompt length.
std::unique_ptr<BlockWork> makeTokenizeWork(WorkSetup setup, PromptLibrary library);

} // namespace app

// What a run's row says about the model, the machine and the program. Any thread.
#pragma once

#include "app/load/workload.h"
#include "app/store/run_store.h"
#include "engine/backend.h"

namespace app {

// Processor, instruction sets, threads, memory, device, system and versions, as a JSON object.
std::string machineJson(const engine::Capabilities& capabilities);
// Everything but name, workload and limits.
RunInfo describeRun(const engine::Capabilities& capabilities);
// Adds the workload's name, text and seed, and the digest of its request list.
void describeWorkload(RunInfo& info, const Workload& workload, const std::string& digest);

} // namespace app

// What a run was measured on, as the run log keeps it: machine, device, versions.
#pragma once

#include "engine/backend.h"

#include <string>

namespace app {

// {"cpu", "isa", "threads", "memory_bytes", "device", "computing", "file_format", "kernel",
//  "headway", "qt", "sqlite", "compiler"}; without a backend the parts that need none.
std::string machineJson(const engine::Capabilities* capabilities);

} // namespace app

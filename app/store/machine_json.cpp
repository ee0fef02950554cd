#include "app/store/machine_json.h"

#include "app/observe/machine.h"

#include <QtGlobal>

#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/utsname.h>

namespace app {

std::string machineJson(const engine::Capabilities* capabilities) {
    const Machine machine = readMachine();
    nlohmann::ordered_json json;
    json["cpu"] = machine.processor;
    json["isa"] = machine.instructionSets;
    json["threads"] = machine.threads;
    json["memory_bytes"] = machine.memoryBytes;
    if (!machine.gpu.empty()) {
        json["gpu"] = machine.gpu;
    }
    if (capabilities != nullptr) {
        json["isa"] = capabilities->isa; // what is used, not what there is
        json["device"] = capabilities->device;
        json["computing"] = capabilities->computing;
        json["file_format"] = capabilities->fileFormat;
        json["parameters"] = capabilities->parameters;
    }
    utsname system{};
    if (uname(&system) == 0) {
        json["kernel"] = std::string(system.sysname) + " " + system.release;
    }
    json["headway"] = HEADWAY_VERSION;
    json["qt"] = qVersion();
    json["sqlite"] = sqlite3_libversion();
    json["compiler"] = __VERSION__;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace app

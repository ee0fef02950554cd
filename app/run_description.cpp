#include "app/run_description.h"

#include "app/observe/machine.h"

#include <QDateTime>
#include <QSysInfo>
#include <QUuid>

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <fstream>

namespace app {

namespace {

// The processor's own list; it tells apart machines that share a name, for example in a cloud.
std::string processorFlags() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (line.rfind("flags", 0) == 0 || line.rfind("Features", 0) == 0) {
            const std::size_t colon = line.find(": ");
            return colon == std::string::npos ? std::string() : line.substr(colon + 2);
        }
    }
    return {};
}

} // namespace

std::string machineJson(const engine::Capabilities& capabilities) {
    const Machine machine = readMachine();
    nlohmann::ordered_json json;
    json["cpu"] = capabilities.cpu.empty() ? machine.processor : capabilities.cpu;
    json["isa"] = capabilities.isa.empty() ? machine.instructionSets : capabilities.isa;
    json["threads"] = machine.threads;
    json["memory_bytes"] = machine.memoryBytes;
    json["device"] = capabilities.device;
    if (!machine.gpu.empty()) {
        json["gpu"] = machine.gpu;
    }
    if (capabilities.readBytesPerSecond > 0) {
        json["read_bytes_per_s"] = capabilities.readBytesPerSecond;
    }
    json["system"] = QSysInfo::prettyProductName().toStdString();
    json["kernel"] =
        (QSysInfo::kernelType() + QLatin1Char(' ') + QSysInfo::kernelVersion()).toStdString();
    json["versions"] = {
        {"headway", HEADWAY_VERSION}, {"qt", qVersion()}, {"sqlite", sqlite3_libversion()}};
    json["flags"] = processorFlags();
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunInfo describeRun(const engine::Capabilities& capabilities) {
    RunInfo info;
    info.uuid = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
    info.startedUtc = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toStdString();
    info.modelName = capabilities.modelName;
    info.modelDigest = capabilities.modelDigest;
    info.machineJson = machineJson(capabilities);
    return info;
}

void describeWorkload(RunInfo& info, const Workload& workload, const std::string& digest) {
    info.name = workload.name;
    info.workloadName = workload.name;
    info.workloadToml = workloadToml(workload);
    info.requestDigest = digest;
    info.seed = workload.seed;
}

} // namespace app

#include "app/experiment/process_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace app {

namespace {

std::optional<std::uint64_t> statusBytes(const std::string& name) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(name + ":")) {
            std::istringstream text(line.substr(name.size() + 1));
            std::uint64_t kibibytes = 0;
            if (text >> kibibytes) {
                return kibibytes * 1024;
            }
        }
    }
    return std::nullopt;
}

} // namespace

ProcessMemory::ProcessMemory() {
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5" << std::flush; // the peak is counted anew; see proc(5)
    if (reset.good()) {
        m_before = statusBytes("VmRSS");
    }
}

std::optional<std::uint64_t> ProcessMemory::peakSinceBytes() const {
    const auto peak = statusBytes("VmHWM");
    return m_before && peak ? std::optional(*peak - std::min(*peak, *m_before)) : std::nullopt;
}

std::optional<std::uint64_t> ProcessMemory::growthBytes() const {
    const auto now = statusBytes("VmRSS");
    return m_before && now ? std::optional(*now - std::min(*now, *m_before)) : std::nullopt;
}

std::optional<ProcessorTimes> processorTimes() {
    ProcessorTimes times;
    std::ifstream all("/proc/stat");
    std::string word;
    all >> word;
    for (int column = 0; column < 8; ++column) { // user nice system idle iowait irq softirq steal
        std::uint64_t ticks = 0;
        if (!(all >> ticks)) {
            return std::nullopt;
        }
        times.all += ticks;
        times.busy += column == 3 || column == 4 ? 0 : ticks;
    }
    std::ifstream own("/proc/self/stat");
    std::string line;
    std::getline(own, line);
    const auto name = line.rfind(')'); // it may hold spaces
    if (name == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream rest(line.substr(name + 1));
    for (int skipped = 0; skipped < 11; ++skipped) { // state to cmajflt
        rest >> word;
    }
    std::uint64_t user = 0, system = 0;
    rest >> user >> system;
    times.own = user + system;
    return rest ? std::optional(times) : std::nullopt;
}

double busyElsewhere(const ProcessorTimes& before, const ProcessorTimes& after) {
    const auto all = static_cast<double>(after.all - std::min(before.all, after.all));
    const auto busy = static_cast<double>(after.busy - std::min(before.busy, after.busy));
    const auto own = static_cast<double>(after.own - std::min(before.own, after.own));
    return all > 0 ? std::clamp((busy - own) / all, 0.0, 1.0) : 0.0;
}

std::optional<double> processorClock() {
    std::ifstream file("/proc/cpuinfo");
    double sum = 0;
    int cores = 0;
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(':');
        if (line.starts_with("cpu MHz") && colon != std::string::npos) {
            sum += std::strtod(line.c_str() + colon + 1, nullptr);
            ++cores;
        }
    }
    return cores > 0 && sum > 0 ? std::optional(sum / cores) : std::nullopt;
}

} // namespace app

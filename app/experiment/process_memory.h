// How far this process's memory grew above where it stood, and who used the processor meanwhile:
// what the operating system counts. Any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace app {

class ProcessMemory {
public:
    ProcessMemory(); // forgets the peak so far
    std::optional<std::uint64_t>
    peakSinceBytes() const;                           // above where it stood; empty where unknown
    std::optional<std::uint64_t> growthBytes() const; // now, likewise

private:
    std::optional<std::uint64_t> m_before;
};

// Counters of the processor's time since the system started, in ticks.
struct ProcessorTimes {
    std::uint64_t all = 0;  // of every core, idle included
    std::uint64_t busy = 0; // anyone, the hypervisor's other guests included
    std::uint64_t own = 0;  // this process
};
std::optional<ProcessorTimes> processorTimes();
// Share of all cores, 0..1, that others used between two readings.
double busyElsewhere(const ProcessorTimes& before, const ProcessorTimes& after);
// Mean clock of the cores in MHz; empty where the system does not tell.
std::optional<double> processorClock();

} // namespace app

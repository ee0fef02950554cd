#include "kernels/cores.h"

#include <climits>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>

namespace kernels {

std::optional<int> coresOfQuota(std::string_view cpuMax) {
    std::istringstream words{std::string(cpuMax)};
    std::int64_t quota = 0;
    std::int64_t period = 0;
    if (!(words >> quota >> period) || quota < 1 || period < 1) {
        return std::nullopt; // "max", or no such file
    }
    return static_cast<int>(std::min<std::int64_t>((quota - 1) / period + 1, INT_MAX));
}

// More threads than a quota pays for would be stopped all together until the next period.
int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int counted = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    const int there = counted > 0 ? counted : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string cpuMax;
    std::getline(file, cpuMax);
    return std::max(1, std::min(there, coresOfQuota(cpuMax).value_or(there)));
}

} // namespace kernels

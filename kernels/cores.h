// Cores that this process may use: a container can make them fewer than there are. Any thread.
#pragma once

#include <optional>
#include <string_view>

namespace kernels {

// At least one.
int usableCores();
// The share of processors that a control group allows, from its cpu.max ("200000 100000"), rounded
// up to whole ones; empty where it sets none.
std::optional<int> coresOfQuota(std::string_view cpuMax);

} // namespace kernels

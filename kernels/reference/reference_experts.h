// Routing of experts in double precision, written for reading and apart from kernels/cpu.
#pragma once

#include "kernels/reference/reference.h"

namespace kernels::reference {

// Of every token the weight of each expert, 0 for those not taken: [tokens, experts].
Numbers routeExperts(std::span<const double> logits, std::span<const double> bias,
                     std::size_t experts, const RoutingRule& rule);

} // namespace kernels::reference

// The BLOB in which a request's token steps are stored. One variable-length pair a step: the time
// since the previous step (the first: since the start of the run) in nanoseconds, zigzag coded,
// then the tokens; seven bits a byte, lowest first, the high bit set where more follow.
#pragma once

#include "engine/events.h"

#include <cstddef>
#include <span>
#include <vector>

namespace app {

std::vector<std::byte> packTokenSteps(const std::vector<engine::TokenStep>& steps,
                                      engine::TimePoint start);
// Steps as TimePoint{} + ns from the run's start. A damaged blob yields the steps before the
// damage.
std::vector<engine::TokenStep> unpackTokenSteps(std::span<const std::byte> blob);

} // namespace app

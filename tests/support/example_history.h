// A made-up run for tests of pictures: Poisson traffic with a burst, ten samples a second, markers.
#pragma once

#include "app/observe/history.h"

namespace tests {

struct ExampleRun {
    double seconds = 460.0;
    double requestsPerSecond = 12.0;
    std::uint64_t seed = 1;
};
app::History exampleHistory(const ExampleRun& run);

} // namespace tests

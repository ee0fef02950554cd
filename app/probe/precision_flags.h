// Flags for the numbers that weights, keys and values are computed in, shared by the commands that
// run a model without a scheduler. Main thread.
#pragma once

#include "engine/evaluate.h"

#include <string>

namespace CLI {
class App;
}

namespace app {

struct PrecisionFlags {
    std::string weights, kv, keys, values;
    std::string attention, first, window, share;
    std::string int8Scales;
    // `prefix` stands behind the dashes: "--reference-kv-precision".
    void declare(CLI::App& command, const std::string& prefix = {});
    // CommandError for a value that is none.
    void applyTo(engine::EvaluatorOptions& options) const;
};

} // namespace app

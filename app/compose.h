// The one place that builds what serves requests from a model and settings. Any thread.
#pragma once

#include "engine/backend.h"

#include <functional>

namespace app {

// Loads on the calling thread, or attaches to the server where `model` is an address (http://...);
// see engine::makeEngine. A value, so that a test can hand the session a backend without a model.
using BackendMaker = std::function<engine::Result<std::unique_ptr<engine::Backend>>(
    const std::filesystem::path& model, const engine::EngineConfig& config,
    const std::function<void(const engine::LoadProgress&)>& progress, std::stop_token stop)>;

engine::Result<std::unique_ptr<engine::Backend>>
composeBackend(const std::filesystem::path& model, const engine::EngineConfig& config,
               const std::function<void(const engine::LoadProgress&)>& progress,
               std::stop_token stop);

} // namespace app

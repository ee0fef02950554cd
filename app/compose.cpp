#include "app/compose.h"

namespace app {

engine::Result<std::unique_ptr<engine::Backend>>
composeBackend(const std::filesystem::path& model, const engine::EngineConfig& config,
               const std::function<void(const engine::LoadProgress&)>& progress,
               std::stop_token stop) {
    return engine::makeEngine(model, config, progress, std::move(stop));
}

} // namespace app

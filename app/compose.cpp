#include "app/compose.h"

#include "app/remote/remote_backend.h"
#include "engine/serving.h"

namespace app {

engine::Result<std::unique_ptr<engine::Backend>>
composeBackend(const std::filesystem::path& model, const engine::EngineConfig& config,
               const std::function<void(const engine::LoadProgress&)>& progress,
               std::stop_token stop) {
    if (isRemoteAddress(model.string())) {
        auto attached = attachRemote(model.string(), config, std::move(stop));
        if (!attached) {
            return attached;
        }
        return engine::withServing({.main = std::move(*attached), .keepsSettings = true});
    }
    return engine::makeServingEngine(model, config, progress, std::move(stop));
}

} // namespace app

// From a file to an engine that is ready.
#include "engine/base/failure.h"
#include "engine/loop/engine.h"

namespace engine {

Result<std::unique_ptr<Backend>> startEngine(const std::filesystem::path& model,
                                             const LoadSettings& settings) {
    if (const auto valid = validate(settings.config); !valid) {
        return std::unexpected(valid.error());
    }
    return atTheDoor([&]() -> std::unique_ptr<Backend> {
        auto engine =
            std::make_unique<Engine>(loadModel(model, settings, TokenizerUse::Needed), settings);
        engine->warmUp(settings);
        engine->start();
        return engine;
    });
}

Result<std::unique_ptr<Backend>>
makeEngine(const std::filesystem::path& model, const EngineConfig& config,
           const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
    return startEngine(model, {.config = config,
                               .progress = progress,
                               .stop = std::move(stop),
                               .makeOps = {},
                               .readBytesPerSecond = {},
                               .gate = {}});
}

} // namespace engine

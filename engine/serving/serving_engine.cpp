// An engine with what stands around it; the light model takes turns with it on the same cores.
#include "engine/loop/engine.h"
#include "engine/serving/light_model.h"

#include <atomic>

namespace engine {

Result<std::unique_ptr<Backend>>
makeServingEngine(const std::filesystem::path& model, const EngineConfig& config,
                  const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
    const auto gate = std::make_shared<StepGate>();
    auto main = startEngine(model, {.config = config,
                                    .progress = progress,
                                    .stop = std::move(stop),
                                    .makeOps = {},
                                    .readBytesPerSecond = {},
                                    .gate = gate});
    if (!main) {
        return main;
    }
    const double speed = (*main)->capabilities().readBytesPerSecond;
    // Made one after the other, each on a thread of its own.
    const auto models = std::make_shared<std::atomic<std::uint64_t>>(0);
    LightModelMaker makeLight = [gate, speed, models](const std::filesystem::path& file,
                                                      const EngineConfig& light,
                                                      std::stop_token ended) {
        return startEngine(file, {.config = light,
                                  .progress = {},
                                  .stop = std::move(ended),
                                  .makeOps = {},
                                  .readBytesPerSecond = speed,
                                  .gate = gate,
                                  .firstId = firstLightId(models->fetch_add(1))});
    };
    auto* ahead = dynamic_cast<PreparesWeights*>(main->get());
    return withServing(
        {.main = std::move(*main), .ahead = ahead, .makeLight = std::move(makeLight)});
}

} // namespace engine

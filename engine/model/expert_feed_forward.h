// A mixture of experts: a router chooses a few for every token; experts that all tokens share are
// added.
#pragma once

#include "engine/model/block.h"
#include "engine/model/layers.h"

#include <memory>
#include <optional>

namespace engine {

struct ExpertNumbers {
    std::int64_t experts = 0;
    std::int64_t width = 0;       // of one expert
    std::int64_t sharedWidth = 0; // of the shared ones together; 0: none
    kernels::RoutingRule rule;
};

enum class ExpertWeights : std::uint8_t { AsTheyAre, Normalised };

// Empty where the model has no experts. `weights` holds where the file does not say.
std::optional<ExpertNumbers> readExperts(const HyperParameters& parameters, ExpertWeights weights);

std::unique_ptr<FeedForwardBlock>
makeExpertFeedForward(const LayerLoader& loader, const ExpertNumbers& numbers, std::int64_t hidden);

} // namespace engine

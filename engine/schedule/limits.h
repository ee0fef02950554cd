// A configuration and the state of the pool as the limits of a plan; the engine and the simulation
// make them alike. Pure.
#pragma once

#include "engine/schedule/commit.h"
#include "engine/simulate.h"

namespace engine {

// What prompt tokens cost beside the sequences that decode now.
StepCost promptCost(const CostModel& model, const Schedule& schedule);

Limits limitsOf(const EngineConfig& config, const Schedule& schedule);

// Deadline of a request that came at `received`: its own, or its lane's.
std::optional<TimePoint> deadlineOf(const std::optional<TimePoint>& own, Lane lane,
                                    const EngineConfig& config, TimePoint received);

// The shape of a plan's step. Precondition: the plan is committed, not yet computed.
StepShape shapeOf(const StepPlan& plan);

} // namespace engine

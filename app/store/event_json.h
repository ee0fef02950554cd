// Events as the run log holds them: a kind and a JSON payload, and back. Finished requests are rows
// of their own and have no form here.
#pragma once

#include "app/store/run_store.h"

namespace app {

struct EventRow {
    std::string kind, payloadJson;
};
EventRow eventRow(const engine::Event& event);
// Times as TimePoint{} + ns from the run's start. What is not understood becomes a Notice of that
// kind, so that a newer log still shows that something happened.
engine::Event eventOf(const StoredEvent& stored);

} // namespace app

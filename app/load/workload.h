// A workload as a value: arrivals, prompts, lengths, lanes; its TOML form; and the request list it
// makes from a seed. Pure; any thread.
#pragma once

#include "engine/error.h"
#include "engine/request.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

enum class ArrivalKind : std::uint8_t { Closed, Poisson, Gamma };

struct Stage { // one after the other
    ArrivalKind kind = ArrivalKind::Poisson;
    double ratePerSecond = 12.0;    // open loop
    double endRatePerSecond = 12.0; // a ramp where it differs
    double burstiness =
        1.0;       // gamma: squared coefficient of variation; 1 is Poisson, above it bursts
    int users = 8; // closed loop
    double seconds = 60.0;
};

struct LengthMix { // log-uniform between the limits
    int minimum = 16, maximum = 256;
};

struct Workload {
    std::string name = "custom";
    std::uint64_t seed = 42;
    std::vector<Stage> stages;
    LengthMix promptTokens;
    LengthMix outputTokens;
    bool fixedOutput = true;             // answers go on to their drawn length
    std::vector<std::string> promptSets; // english, chinese, code
    double batchShare = 0.0;             // of requests in the batch lane
    float temperature = 0.0F;
    std::vector<std::pair<std::string, std::string>>
        settings; // field key, value text; applied before the start
    double seconds() const;
};

engine::Result<Workload> parseWorkload(std::string_view toml, std::string_view sourceName);
std::string workloadToml(const Workload& workload); // parse(toml(w)) == w

struct BuiltInWorkload {
    std::string name;
    std::string toml;
};
std::vector<BuiltInWorkload> builtInWorkloads(); // demo, chat, ramp, long-prompt from resources
// A built-in name or a file's path.
engine::Result<Workload> loadWorkload(const std::string& nameOrPath);

struct PlannedRequest {
    double atSeconds = 0.0; // open loop: due time; closed loop: the start of its stage
    int stage = 0;
    int user = -1; // closed loop: who sends it next after its previous answer
    std::string promptSet;
    std::string prompt;
    int maxTokens = 0;
    engine::Lane lane = engine::Lane::Realtime;
    std::uint64_t seed = 0;
};

// Prompt texts by set; a set is cut into passages of about the wanted length (4 bytes a token, 1.5
// for Chinese).
class PromptLibrary {
public:
    static engine::Result<PromptLibrary> fromResources();
    std::string passage(std::string_view set, int tokens, std::uint64_t draw) const;
    std::vector<std::string> sets() const;

private:
    std::vector<std::pair<std::string, std::string>> m_texts;
};

// The whole list, deterministic in (workload, seed). Closed-loop stages get a bounded list that is
// taken in order.
std::vector<PlannedRequest> planRequests(const Workload& workload, const PromptLibrary& library);
// "xxh3:..." over prompts, lengths, lanes, due times.
std::string requestListDigest(const std::vector<PlannedRequest>& requests);

} // namespace app

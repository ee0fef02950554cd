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
std::string_view name(ArrivalKind kind); // "closed", "poisson", "gamma"

struct Stage { // one after the other
    ArrivalKind kind = ArrivalKind::Poisson;
    double ratePerSecond = 12.0;    // open loop
    double endRatePerSecond = 12.0; // a ramp where it differs
    // Gamma: squared coefficient of variation of the gaps; 1 is Poisson, above it bursts.
    double burstiness = 1.0;
    int users = 8; // closed loop
    double seconds = 60.0;
    bool operator==(const Stage&) const = default;
};

struct LengthMix { // log-uniform between the limits, both included
    int minimum = 16, maximum = 256;
    bool operator==(const LengthMix&) const = default;
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
    double sparseShare = 0.0; // of requests that ask for sparse attention; others as it is set
    float temperature = 0.0F;
    std::vector<std::pair<std::string, std::string>>
        settings; // field key, value text; applied before the start
    double seconds() const;
    bool operator==(const Workload&) const = default;
};

// Limits of every number and rules across them; the error names key, value and nearest allowed.
engine::Result<void> validateWorkload(const Workload& workload);
// The same workload for another time: later stages are dropped, or the last one is lengthened.
Workload withDuration(Workload workload, double seconds);

engine::Result<Workload> parseWorkload(std::string_view toml, std::string_view sourceName);
std::string workloadToml(const Workload& workload); // parse(toml(w)) == w

struct BuiltInWorkload {
    std::string name;
    std::string toml;
};
std::vector<BuiltInWorkload> builtInWorkloads(); // demo, chat, ramp, long-prompt, burst
// A built-in name or a file's path.
engine::Result<Workload> loadWorkload(const std::string& nameOrPath);

// What to send when; the prompt's text is cut when it is sent, so that a list of a day fits.
struct PlannedRequest {
    double atSeconds = 0.0; // open loop: due time; closed loop: the start of its stage
    int stage = 0;
    std::string promptSet;
    int promptTokens = 0;
    std::uint64_t draw = 0; // with promptTokens it names the passage
    int maxTokens = 0;
    engine::Lane lane = engine::Lane::Realtime;
    std::uint64_t seed = 0; // of the sampling
    bool isSparse = false;  // asks for sparse attention
};

// Prompt texts by set; a set is cut into passages of about the wanted length.
class PromptLibrary {
public:
    static engine::Result<PromptLibrary> fromResources();
    // Empty for an unknown set. Begins where a sentence or block does, goes on from the start of
    // the text where its end is reached; valid UTF-8.
    std::string passage(std::string_view set, int tokens, std::uint64_t draw) const;
    std::vector<std::string> sets() const;
    std::uint64_t hash() const; // of every text

private:
    struct Text {
        std::string name, text;
        std::vector<std::size_t> starts;
        double bytesPerToken = 4.0;
    };
    std::vector<Text> m_texts;
};

// The names of the prompt sets that are compiled in.
std::vector<std::string> promptSetNames();

// The whole list, deterministic in (workload, seed), due times ascending within a stage. A
// closed-loop stage gets a bounded list; free users take its next entry, and the first one again
// after the last.
std::vector<PlannedRequest> planRequests(const Workload& workload);
// "xxh3:..." over prompts, lengths, lanes, due times.
std::string requestListDigest(const std::vector<PlannedRequest>& requests,
                              const PromptLibrary& library);

} // namespace app

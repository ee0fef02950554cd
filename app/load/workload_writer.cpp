// Writes the TOML form of a workload. See workload.h.
#include "app/load/toml_parts.h"
#include "app/load/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace app {

std::string workloadToml(const Workload& workload) {
    std::string text =
        fmt::format("[workload]\nname = {}\nseed = {}\n", tomlQuoted(workload.name), workload.seed);
    if (workload.temperature != 0.0F) {
        text += fmt::format("temperature = {}\n", workload.temperature);
    }
    for (const Stage& stage : workload.stages) {
        text += fmt::format("\n[[stage]]\nkind = \"{}\"\n", name(stage.kind));
        if (stage.kind == ArrivalKind::Closed) {
            text += fmt::format("users = {}\n", stage.users);
        } else {
            text += fmt::format("rate = {}\n", stage.ratePerSecond);
            if (stage.endRatePerSecond != stage.ratePerSecond) {
                text += fmt::format("end_rate = {}\n", stage.endRatePerSecond);
            }
            if (stage.kind == ArrivalKind::Gamma) {
                text += fmt::format("burstiness = {}\n", stage.burstiness);
            }
        }
        text += fmt::format("seconds = {}\n", stage.seconds);
    }
    text += fmt::format("\n[lengths]\nprompt = [{}, {}]\noutput = [{}, {}]\nfixed_output = {}\n",
                        workload.promptTokens.minimum, workload.promptTokens.maximum,
                        workload.outputTokens.minimum, workload.outputTokens.maximum,
                        workload.fixedOutput);
    std::vector<std::string> sets;
    std::transform(workload.promptSets.begin(), workload.promptSets.end(), std::back_inserter(sets),
                   tomlQuoted);
    text += fmt::format("\n[prompts]\nsets = [{}]\n", fmt::join(sets, ", "));
    if (workload.batchShare > 0.0) {
        text += fmt::format("\n[lanes]\nbatch_share = {}\n", workload.batchShare);
    }
    if (workload.sparseShare > 0.0) {
        text += fmt::format("\n[attention]\nsparse_share = {}\n", workload.sparseShare);
    }
    if (!workload.settings.empty()) {
        text += "\n[settings]\n";
        for (const auto& [key, value] : workload.settings) {
            text += fmt::format("{} = {}\n", tomlQuoted(key), tomlQuoted(value));
        }
    }
    return text;
}

} // namespace app

// Results of experiments for terminals and programs. See claims.h.
#include "app/command/text_table.h"
#include "app/experiment/claims.h"
#include "app/experiment/left_out.h"
#include "app/run_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

Json optionalJson(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

void addInterval(Json& json, const std::optional<Interval>& interval) {
    json["low"] = interval ? Json(interval->low) : Json(nullptr);
    json["high"] = interval ? Json(interval->high) : Json(nullptr);
}

Json claimJson(const Experiment& experiment, const ClaimResult& claim) {
    Json json = {{"claimed", claimText(experiment.claim)},
                 {"statistic", name(experiment.statistic)},
                 {"metric", experiment.metric},
                 {"unit", claimUnit(experiment)},
                 {"measured", optionalJson(claim.measured)}};
    addInterval(json, claim.interval);
    json["verdict"] = name(claim.verdict);
    json["n"] = claim.n;
    if (claim.verdict == ClaimVerdict::Needs) {
        json["needs"] = needSentence(claim.need);
    }
    return json;
}

Json blockDocument(const Experiment& experiment, const Block& block) {
    Json json = Json::parse(blockJson(block));
    json["label"] = blockLabel(experiment, block);
    return json;
}

std::string dumped(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string intervalText(const std::optional<Interval>& interval) {
    return interval ? fmt::format("{} .. {}", figureText(interval->low), figureText(interval->high))
                    : figureText(std::nullopt);
}

std::string contaminationText(const ExperimentResult& result) {
    const auto leftOut = leftOutRounds(result.experiment, result.blocks);
    std::string counted, others;
    for (const Block& block : result.blocks) {
        for (const Contamination& entry : block.contamination) {
            (leftOutOf(leftOut, block) == nullptr ? counted : others) += fmt::format(
                "  {}: {} {}{}\n", blockLabel(result.experiment, block), entry.kind,
                figureText(entry.value), entry.detail.empty() ? "" : " (" + entry.detail + ")");
        }
    }
    return (counted.empty() ? counted : "Marked, and counted all the same:\n" + counted) +
           (others.empty() ? others : "Marked, of rounds that are left out:\n" + others);
}

std::string leftOutTexts(const ExperimentResult& result) {
    std::string text;
    for (const LeftOutRounds& rounds : leftOutRounds(result.experiment, result.blocks)) {
        const std::string numbers =
            rounds.first == rounds.last
                ? fmt::format("Round {}", rounds.first + 1)
                : fmt::format("Rounds {} to {}", rounds.first + 1, rounds.last + 1);
        text += fmt::format("  {}: {}\n", numbers, leftOutText(result.experiment, rounds));
    }
    return text.empty() ? text : "Left out of the claim:\n" + text;
}

Json roundsJson(const ExperimentResult& result) {
    Json leftOut = Json::array();
    for (const LeftOutRounds& rounds : leftOutRounds(result.experiment, result.blocks)) {
        leftOut.push_back({{"first", rounds.first},
                           {"last", rounds.last},
                           {"reason", name(rounds.reason)},
                           {"side", rounds.side < 0 ? Json(nullptr) : Json(rounds.side)},
                           {"text", leftOutText(result.experiment, rounds)}});
    }
    return {{"planned", result.experiment.rounds()},
            {"whole", result.verdict.wholeRounds},
            {"left_out", std::move(leftOut)}};
}

std::string measuresText(const ExperimentVerdict& verdict) {
    TextTable table({{"measure"},
                     {"A", Align::Right},
                     {"B", Align::Right},
                     {"B - A", Align::Right},
                     {"95 % interval", Align::Right},
                     {"p, Holm", Align::Right},
                     {"verdict"},
                     {"n", Align::Right}});
    for (const MeasureVerdict& row : verdict.measures) {
        std::string word(name(row.verdict));
        if (row.moreBlocks) {
            word += fmt::format(", about {} blocks more", *row.moreBlocks);
        }
        table.add({row.metric, figureText(row.a), figureText(row.b), figureText(row.difference),
                   intervalText(row.interval), row.p ? fmt::format("{:.3f}", *row.p) : "–", word,
                   fmt::format("{}/{}", row.nA, row.nB)});
    }
    return table.isEmpty() ? std::string() : table.text();
}

std::string levelsText(const Experiment& experiment, const ExperimentVerdict& verdict) {
    TextTable table({{experiment.sweepKey.empty() ? "side" : experiment.sweepKey},
                     {experiment.metric, Align::Right},
                     {"95 % interval", Align::Right},
                     {"n", Align::Right}});
    for (const Level& level : verdict.levels) {
        table.add({level.label, figureText(level.mean), intervalText(level.interval),
                   std::to_string(level.n)});
    }
    return table.text();
}

} // namespace

std::string needSentence(const std::string& need) {
    constexpr std::string_view kContext = "context:";
    if (need == "cuda") {
        return "a CUDA device";
    }
    if (need.starts_with(kContext)) {
        return fmt::format("a model with {} tokens of context", need.substr(kContext.size()));
    }
    return fmt::format("the setting {}", need);
}

std::string claimedText(const Experiment& experiment) {
    const std::string unit = claimUnit(experiment);
    const std::string end = unit.empty() ? "" : " " + unit;
    const Claim& claim = experiment.claim;
    const bool isChange = experiment.statistic == Statistic::Change;
    const auto number = [isChange](double value) {
        const std::string sign = isChange && value > 0 ? "+" : "";
        return sign + (value < 0 ? "\u2212" : "") + fmt::format("{}", std::abs(value));
    };
    switch (claim.kind) {
    case ClaimKind::None:
        break;
    case ClaimKind::AtLeast:
        return "\u2265 " + number(claim.value) + end;
    case ClaimKind::AtMost:
        return "\u2264 " + number(claim.value) + end;
    case ClaimKind::About:
        return "about " + number(claim.value) + end;
    case ClaimKind::Within:
        return number(claim.value) + " to " + number(claim.high) + end;
    }
    return "not stated";
}

std::string experimentJson(const ExperimentResult& result) {
    const ExperimentVerdict& verdict = result.verdict;
    Json json = {{"experiment", result.experiment.name},
                 {"title", result.experiment.title},
                 {"run_id", result.run.id},
                 {"state", name(result.run.state)},
                 {"model", result.run.modelName},
                 {"model_digest", result.run.modelDigest},
                 {"request_digest", result.run.requestDigest},
                 {"claim", claimJson(result.experiment, verdict.claim)}};
    Json& rows = json["rows"] = Json::array();
    for (const MeasureVerdict& row : verdict.measures) {
        Json each = {
            {"metric", row.metric}, {"a", row.a}, {"b", row.b}, {"difference", row.difference}};
        addInterval(each, row.interval);
        each["p_holm"] = optionalJson(row.p);
        each["verdict"] = name(row.verdict);
        each["n_a"] = row.nA;
        each["n_b"] = row.nB;
        each["more_blocks"] = row.moreBlocks ? Json(*row.moreBlocks) : Json(nullptr);
        rows.push_back(std::move(each));
    }
    Json& levels = json["levels"] = Json::array();
    for (const Level& level : verdict.levels) {
        Json each = {{"label", level.label}, {"mean", optionalJson(level.mean)}};
        addInterval(each, level.interval);
        each["n"] = level.n;
        levels.push_back(std::move(each));
    }
    Json& blocks = json["blocks"] = Json::array();
    for (const Block& block : result.blocks) {
        blocks.push_back(blockDocument(result.experiment, block));
    }
    json["rounds"] = roundsJson(result);
    json["drift_percent"] = optionalJson(verdict.drift);
    json["toml"] = experimentToml(result.experiment);
    return dumped(json);
}

std::string claimsJson(const std::vector<ClaimRow>& rows) {
    Json list = Json::array();
    for (const ClaimRow& row : rows) {
        Json json = {{"experiment", row.experiment.name},
                     {"title", row.experiment.title},
                     {"group", row.experiment.group},
                     {"run_id", row.run ? Json(row.run->id) : Json(nullptr)},
                     {"model", row.run ? Json(row.run->modelName) : Json(nullptr)},
                     {"machine", row.run ? Json(machineText(row.run->machineJson)) : Json(nullptr)},
                     {"is_shortened", row.isShortened}};
        json.update(claimJson(row.experiment, row.verdict.claim));
        list.push_back(std::move(json));
    }
    return dumped(Json{{"claims", std::move(list)}});
}

std::string experimentText(const ExperimentResult& result) {
    const Experiment& experiment = result.experiment;
    const ClaimResult& claim = result.verdict.claim;
    std::string text =
        fmt::format("{}  run {}  {}\n", experiment.title, result.run.id, name(result.run.state));
    text += fmt::format("{} of {} rounds of {}, {} s measured each, request list {}\n\n",
                        result.verdict.wholeRounds, experiment.rounds(), experiment.sides.size(),
                        experiment.measureSeconds, result.run.requestDigest);
    text += result.verdict.measures.empty() ? levelsText(experiment, result.verdict)
                                            : measuresText(result.verdict);
    const std::string unit = claimUnit(experiment);
    text += fmt::format("\nClaim {}, measured {}{}{}", claimedText(experiment),
                        figureText(claim.measured), unit.empty() ? "" : " ", unit);
    if (claim.interval) {
        text += fmt::format(" [{}]", intervalText(claim.interval));
    }
    text += fmt::format(": {}\n", name(claim.verdict));
    if (claim.withoutMarked) {
        text += fmt::format("Without the marked rounds: {} {}\n", figureText(claim.withoutMarked),
                            unit);
    }
    if (result.verdict.drift) {
        text += fmt::format("Drift over side A's blocks: {} %\n", figureText(result.verdict.drift));
    }
    return text + leftOutTexts(result) + contaminationText(result);
}

std::string claimsText(const std::vector<ClaimRow>& rows) {
    TextTable table({{"claim"},
                     {"claimed", Align::Right},
                     {"measured", Align::Right},
                     {"95 % interval", Align::Right},
                     {"n", Align::Right},
                     {"verdict"},
                     {"run", Align::Right}});
    for (const ClaimRow& row : rows) {
        const ClaimResult& claim = row.verdict.claim;
        const std::string unit = claimUnit(row.experiment);
        std::string verdict(name(claim.verdict));
        if (claim.verdict == ClaimVerdict::Needs) {
            verdict += " " + needSentence(claim.need);
        } else if (row.isShortened) {
            verdict += ", shortened";
        }
        table.add({row.experiment.title, claimedText(row.experiment),
                   claim.measured ? figureText(claim.measured) + (unit.empty() ? "" : " " + unit)
                                  : figureText(std::nullopt),
                   intervalText(claim.interval), claim.n > 0 ? std::to_string(claim.n) : "",
                   verdict, row.run ? std::to_string(row.run->id) : ""});
    }
    return table.text();
}

} // namespace app

#include "app/report/experiment_csv.h"

#include "app/experiment/left_out.h"
#include "app/report/csv_table.h"
#include "app/run_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace app {

namespace {

std::string contaminationText(const Block& block) {
    std::vector<std::string> kinds;
    for (const Contamination& each : block.contamination) {
        kinds.push_back(each.detail.empty() ? each.kind : each.kind + " " + each.detail);
    }
    return fmt::format("{}", fmt::join(kinds, "; "));
}

std::set<std::string> metricsOf(const ExperimentResult& result) {
    std::set<std::string> metrics = {result.experiment.metric};
    for (const Block& block : result.blocks) {
        for (const auto& [metric, figure] : block.figures) {
            metrics.insert(metric);
        }
    }
    return metrics;
}

void addPlace(CsvTable& csv, const Experiment& experiment, const Block& block) {
    const auto side = static_cast<std::size_t>(block.side);
    csv.text(blockLabel(experiment, block));
    csv.integer(block.round + 1);
    csv.text(side < experiment.sides.size() ? experiment.sides[side].label : std::string());
}

void addMeasured(CsvTable& csv, const ExperimentResult& result, const Block& block,
                 const std::string& leftOut) {
    for (const std::string& metric : metricsOf(result)) {
        const auto figure = block.figures.find(metric);
        const bool isThere = figure != block.figures.end();
        addPlace(csv, result.experiment, block);
        csv.number(block.from);
        csv.number(block.to);
        csv.text(metric);
        csv.number(isThere ? std::optional(figure->second.value) : std::nullopt);
        csv.field(isThere ? std::to_string(figure->second.n) : std::string());
        csv.field(block.isWhole ? "true" : "false");
        csv.text(contaminationText(block));
        csv.text(leftOut);
        csv.endRow();
    }
}

// Sides of a begun round that never had their turn.
void addUnmeasured(CsvTable& csv, const ExperimentResult& result, int round,
                   const std::string& leftOut) {
    for (int side = 0; side < static_cast<int>(result.experiment.sides.size()); ++side) {
        const bool isMeasured = std::ranges::any_of(result.blocks, [&](const Block& block) {
            return block.round == round && block.side == side;
        });
        if (isMeasured) {
            continue;
        }
        addPlace(csv, result.experiment,
                 {.round = round, .side = side, .figures = {}, .contamination = {}});
        for (int empty = 0; empty < 5; ++empty) { // from_s to n
            csv.field({});
        }
        csv.field("false");
        csv.field({});
        csv.text(leftOut);
        csv.endRow();
    }
}

} // namespace

std::string experimentCsv(const ExperimentResult& result) {
    CsvTable csv({"block", "round", "side", "from_s", "to_s", "metric", "value", "n", "is_whole",
                  "contamination", "left_out"});
    const auto leftOut = leftOutRounds(result.experiment, result.blocks);
    for (const Block& block : result.blocks) {
        const LeftOutRounds* why = leftOutOf(leftOut, block);
        addMeasured(csv, result, block,
                    why != nullptr ? leftOutText(result.experiment, *why) : std::string());
    }
    for (const LeftOutRounds& rounds : leftOut) {
        for (int round = rounds.first; round <= rounds.last; ++round) {
            addUnmeasured(csv, result, round, leftOutText(result.experiment, rounds));
        }
    }
    return csv.content();
}

std::string claimsCsv(const std::vector<ClaimRow>& rows) {
    CsvTable csv({"experiment", "title", "group", "claimed", "statistic", "metric", "unit",
                  "measured", "low", "high", "n", "verdict", "needs", "run_id", "model", "machine",
                  "is_shortened"});
    for (const ClaimRow& row : rows) {
        const ClaimResult& claim = row.verdict.claim;
        csv.text(row.experiment.name);
        csv.text(row.experiment.title);
        csv.text(row.experiment.group);
        csv.text(claimText(row.experiment.claim));
        csv.field(name(row.experiment.statistic));
        csv.field(row.experiment.metric);
        csv.text(claimUnit(row.experiment));
        csv.number(claim.measured);
        csv.number(claim.interval ? std::optional(claim.interval->low) : std::nullopt);
        csv.number(claim.interval ? std::optional(claim.interval->high) : std::nullopt);
        csv.field(row.run ? std::to_string(claim.n) : std::string());
        csv.field(name(claim.verdict));
        csv.text(claim.verdict == ClaimVerdict::Needs ? needSentence(claim.need) : std::string());
        csv.field(row.run ? std::to_string(row.run->id) : std::string());
        csv.text(row.run ? row.run->modelName : std::string());
        csv.text(row.run ? machineText(row.run->machineJson) : std::string());
        csv.field(!row.run ? std::string() : row.isShortened ? "true" : "false");
        csv.endRow();
    }
    return csv.content();
}

} // namespace app

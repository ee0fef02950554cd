#include "app/report/experiment_csv.h"

#include "app/report/csv_table.h"

#include <fmt/ranges.h>

namespace app {

namespace {

std::string contaminationText(const Block& block) {
    std::vector<std::string> kinds;
    for (const Contamination& each : block.contamination) {
        kinds.push_back(each.detail.empty() ? each.kind : each.kind + " " + each.detail);
    }
    return fmt::format("{}", fmt::join(kinds, "; "));
}

} // namespace

std::string experimentCsv(const ExperimentResult& result) {
    CsvTable csv({"block", "round", "side", "from_s", "to_s", "metric", "value", "n", "is_whole",
                  "contamination"});
    for (const Block& block : result.blocks) {
        const auto side = static_cast<std::size_t>(block.side);
        for (const auto& [metric, figure] : block.figures) {
            csv.text(blockLabel(result.experiment, block));
            csv.integer(block.round + 1);
            csv.text(side < result.experiment.sides.size() ? result.experiment.sides[side].label
                                                           : std::string());
            csv.number(block.from);
            csv.number(block.to);
            csv.text(metric);
            csv.number(figure.value);
            csv.integer(figure.n);
            csv.field(block.isWhole ? "true" : "false");
            csv.text(contaminationText(block));
            csv.endRow();
        }
    }
    return csv.content();
}

std::string claimsCsv(const std::vector<ClaimRow>& rows) {
    CsvTable csv({"experiment", "title", "group", "claimed", "statistic", "metric", "unit",
                  "measured", "low", "high", "n", "verdict", "needs", "run_id", "model"});
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
        csv.endRow();
    }
    return csv.content();
}

} // namespace app

#include "app/report/experiment_file.h"

#include "app/report/experiment_csv.h"
#include "app/report/experiment_sections.h"
#include "app/report/html_writer.h"
#include "app/report/markdown_writer.h"
#include "app/report/pdf_writer.h"

#include <algorithm>
#include <array>

namespace app {

namespace {

struct Ending {
    std::string_view name;
    std::string (*document)(const report::Document&); // null: data, not a report
    std::string (*experiment)(const ExperimentResult&);
    std::string (*claims)(const std::vector<ClaimRow>&);
};
constexpr std::array kEndings = {
    Ending{".html", report::writeHtml, nullptr, nullptr},
    Ending{".pdf", report::writePdf, nullptr, nullptr},
    Ending{".md", report::writeMarkdown, nullptr, nullptr},
    Ending{".json", nullptr, experimentJson, claimsJson},
    Ending{".csv", nullptr, experimentCsv, claimsCsv},
};

const Ending& found(std::string_view ending) {
    return *std::ranges::find(kEndings, ending, &Ending::name);
}

} // namespace

bool isReportEnding(std::string_view ending) {
    return std::ranges::find(kEndings, ending, &Ending::name) != kEndings.end();
}

std::string experimentAs(std::string_view ending, const ExperimentResult& result,
                         const std::filesystem::path& runLog) {
    const Ending& as = found(ending);
    if (as.document == nullptr) {
        return as.experiment(result);
    }
    const auto store = RunStore::open(runLog, StoreMode::ReadOnly);
    const auto run = store ? (*store)->load(result.run.id) : std::unexpected(store.error());
    return as.document(report::experimentDocument(result, run ? &*run : nullptr));
}

std::string claimsAs(std::string_view ending, const std::vector<ClaimRow>& rows) {
    const Ending& as = found(ending);
    return as.document == nullptr ? as.claims(rows) : as.document(report::claimsDocument(rows));
}

} // namespace app

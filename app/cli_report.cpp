// `headway report` and `headway compare`: documents about recorded runs.
#include "app/cli_report.h"

#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/text_table.h"
#include "app/report/experiment_file.h"
#include "app/report/report.h"
#include "app/run_labels.h"
#include "app/run_text.h"

#include <QDirIterator>
#include <QFontDatabase>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace app {

namespace {

struct ReportArguments {
    std::vector<std::string> targets;
    std::string html, pdf, csv, json, markdown;
};

// Qt tells about a missing folder of the session, which writing a report has no use for.
void passOnUnlessIdle(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type != QtWarningMsg || !message.startsWith(QStringLiteral("QStandardPaths:"))) {
        printNote(message.toStdString());
    }
}

void deliver(const std::string& target, const std::string& content) {
    if (target.empty()) {
        return;
    }
    if (target == "-") {
        printOut(content);
        return;
    }
    orFail(writeFile(target, content));
    printNote("Wrote " + target);
}

// The runs that were named, read and compared: each against the first.
RunSet loadRuns(const RunArguments& arguments) {
    const auto store = openForReading(arguments.runLog);
    std::vector<std::shared_ptr<const RunData>> runs;
    for (const std::int64_t id : arguments.runs) {
        runs.push_back(std::make_shared<const RunData>(orFail(store->load(id))));
    }
    return compareSet(std::move(runs));
}

void deliverCsv(const std::string& folder, const RunSet& set) {
    orFail(set.runs.size() == 1 ? writeCsv(*set.runs.front(), folder)
                                : writeCsv(set.runs, set.againstFirst, folder));
    printNote("Wrote the tables into " + folder);
}

RunPair pairOf(const RunSet& set) {
    return comparePair(set.runs.front(), set.runs.back());
}

// One run, two, or more: three documents.
template <class One, class Two, class More>
std::string documentOf(const RunSet& set, One one, Two two, More more) {
    switch (set.runs.size()) {
    case 1:
        return one(*set.runs.front());
    case 2:
        return two(pairOf(set));
    default:
        return more(set);
    }
}

ExitStatus writeReports(const ReportArguments& report) {
    const RunArguments arguments = parseRunArguments(report.targets);
    if (arguments.runs.empty() || arguments.runs.size() > kMostCompared) {
        throw CommandError(ExitStatus::Usage,
                           "Name one run, or two to five to compare: headway report [DB] RUN...");
    }
    if (report.html.empty() && report.pdf.empty() && report.csv.empty() && report.json.empty() &&
        report.markdown.empty()) {
        throw CommandError(
            ExitStatus::Usage,
            "Say what to write: --html FILE, --pdf FILE, --csv FOLDER, --json FILE or "
            "--markdown FILE (- is standard output).");
    }
    const ReportApplication application;
    const RunSet set = loadRuns(arguments);
    using Run = const RunData&;
    using Pair = const RunPair&;
    if (!report.html.empty()) {
        deliver(report.html, documentOf(
                                 set, [](Run run) { return reportHtml(run); },
                                 [](Pair pair) { return reportHtml(pair); },
                                 [](const RunSet& runs) { return reportHtml(runs); }));
    }
    if (!report.pdf.empty()) {
        deliver(report.pdf, documentOf(
                                set, [](Run run) { return reportPdf(run); },
                                [](Pair pair) { return reportPdf(pair); },
                                [](const RunSet& runs) { return reportPdf(runs); }));
    }
    if (!report.csv.empty()) {
        deliverCsv(report.csv, set);
    }
    if (!report.json.empty()) {
        deliver(report.json, documentOf(
                                 set, [](Run run) { return reportJson(run); },
                                 [](Pair pair) { return comparisonJson(pair); },
                                 [](const RunSet& runs) { return comparisonJson(runs); }) +
                                 "\n");
    }
    if (!report.markdown.empty()) {
        deliver(report.markdown, documentOf(
                                     set, [](Run run) { return reportMarkdown(run); },
                                     [](Pair pair) { return reportMarkdown(pair); },
                                     [](const RunSet& runs) { return reportMarkdown(runs); }));
    }
    return ExitStatus::Done;
}

struct CompareArguments {
    std::vector<std::string> targets;
    bool asJson = false;
};

std::string cautionLine(const std::string& caution) {
    return "\nCaution: " + cautionText(caution).toStdString();
}

std::string comparisonText(const Comparison& comparison, std::int64_t a, std::int64_t b) {
    TextTable rows({{"measure"},
                    {fmt::format("run {}", a), Align::Right},
                    {fmt::format("run {}", b), Align::Right},
                    {"difference", Align::Right},
                    {"95 % interval", Align::Right},
                    {"verdict"},
                    {"n", Align::Right}});
    for (const ComparisonRow& row : comparison.rows) {
        const std::string interval = row.interval
                                         ? fmt::format("{} .. {}", figureText(row.interval->low),
                                                       figureText(row.interval->high))
                                         : figureText(std::nullopt);
        rows.add({row.metric, figureText(row.a), figureText(row.b), figureText(row.difference),
                  interval, std::string(name(row.verdict)), fmt::format("{}/{}", row.nA, row.nB)});
    }
    std::string text = rows.text();
    if (!comparison.settings.empty()) {
        TextTable settings(
            {{"setting that differs"}, {fmt::format("run {}", a)}, {fmt::format("run {}", b)}});
        for (const SettingDifference& setting : comparison.settings) {
            settings.add({setting.field, setting.effectiveA, setting.effectiveB});
        }
        text += "\n" + settings.text();
    }
    for (const std::string& caution : comparison.cautions) {
        text += cautionLine(caution);
    }
    return comparison.cautions.empty() ? text : text + "\n";
}

// Three runs and more: a column each, with the difference to the first and its verdict.
std::string setText(const RunSet& set) {
    const std::int64_t first = set.runs.front()->summary.run.id;
    std::vector<TextTable::Column> columns = {{"measure"},
                                              {fmt::format("run {}", first), Align::Right}};
    for (std::size_t i = 1; i < set.runs.size(); ++i) {
        columns.push_back({fmt::format("run {}", set.runs[i]->summary.run.id), Align::Right});
        columns.push_back({fmt::format("to run {}", first), Align::Right});
        columns.push_back({"verdict"});
    }
    TextTable rows(std::move(columns));
    for (std::size_t i = 0; i < set.againstFirst.front().rows.size(); ++i) {
        const ComparisonRow& measure = set.againstFirst.front().rows[i];
        std::vector<std::string> cells = {measure.metric, figureText(measure.a)};
        for (const Comparison& comparison : set.againstFirst) {
            const ComparisonRow& row = comparison.rows[i];
            cells.insert(cells.end(), {figureText(row.b), figureText(row.difference),
                                       std::string(name(row.verdict))});
        }
        rows.add(std::move(cells));
    }
    std::string text = rows.text();
    std::vector<std::string> told;
    for (const Comparison& comparison : set.againstFirst) {
        for (const std::string& caution : comparison.cautions) {
            if (std::ranges::find(told, caution) == told.end()) {
                told.push_back(caution);
                text += cautionLine(caution);
            }
        }
    }
    return told.empty() ? text : text + "\n";
}

ExitStatus compareSome(const CompareArguments& compare) {
    const RunArguments arguments = parseRunArguments(compare.targets);
    if (arguments.runs.size() < 2 || arguments.runs.size() > kMostCompared) {
        throw CommandError(ExitStatus::Usage,
                           "Name two to five runs: headway compare [DB] A B [C...].");
    }
    const RunSet set = loadRuns(arguments);
    if (set.runs.size() > 2) {
        printOut(compare.asJson ? comparisonJson(set) + "\n" : setText(set));
        return ExitStatus::Done;
    }
    const Comparison& comparison = set.againstFirst.front();
    printOut(compare.asJson ? comparisonJson(pairOf(set)) + "\n"
                            : comparisonText(comparison, arguments.runs[0], arguments.runs[1]));
    return ExitStatus::Done;
}

std::string endingOf(const std::string& file) {
    return std::filesystem::path(file).extension().string();
}

} // namespace

ReportApplication::ReportApplication()
    : m_before(qInstallMessageHandler(passOnUnlessIdle)),
      m_application(m_count, m_arguments.data()) {
    // The window's own digits, where they are part of the program.
    for (QDirIterator fonts(QStringLiteral(":/headway/fonts"), {QStringLiteral("*.otf")});
         fonts.hasNext();) {
        QFontDatabase::addApplicationFont(fonts.next());
    }
}

ReportApplication::~ReportApplication() {
    qInstallMessageHandler(m_before);
}

void requireReportName(const std::string& file) {
    if (!isReportEnding(endingOf(file))) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("\"{}\" does not tell what to write: name it FILE.html, "
                                       "FILE.pdf, FILE.md, FILE.json or FILE.csv.",
                                       file));
    }
}

void deliverExperiment(const std::string& file, const ExperimentResult& result,
                       const std::filesystem::path& runLog) {
    deliver(file, experimentAs(endingOf(file), result, runLog));
}

void deliverClaims(const std::string& file, const std::vector<ClaimRow>& rows) {
    deliver(file, claimsAs(endingOf(file), rows));
}

void declareReport(CLI::App& command, ChosenCommand& chosen) {
    const auto report = std::make_shared<ReportArguments>();
    command.add_option("RUN", report->targets,
                       "[DB] RUN...: one run, or two to five to compare, after a run log other "
                       "than the user's own");
    command.add_option("--html", report->html, "Self-contained page, opens offline");
    command.add_option("--pdf", report->pdf, "Designed pages for print");
    command.add_option("--csv", report->csv, "Folder for the tables");
    command.add_option("--json", report->json, "One document with everything");
    command.add_option("--markdown", report->markdown, "Text for a page or an issue");
    command.callback([report, &chosen] { chosen = [report] { return writeReports(*report); }; });
}

void declareCompare(CLI::App& command, ChosenCommand& chosen) {
    const auto compare = std::make_shared<CompareArguments>();
    command.add_option("RUN", compare->targets,
                       "[DB] A B...: two to five run ids, each held against the first, after a "
                       "run log other than the user's own");
    command.add_flag("--json", compare->asJson, "One JSON document on standard output");
    command.callback([compare, &chosen] { chosen = [compare] { return compareSome(*compare); }; });
}

} // namespace app

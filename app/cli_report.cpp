// `headway report` and `headway compare`: documents about recorded runs.
#include "app/cli_report.h"

#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/text_table.h"
#include "app/report/experiment_sections.h"
#include "app/report/html_writer.h"
#include "app/report/markdown_writer.h"
#include "app/report/pdf_writer.h"
#include "app/report/report.h"
#include "app/run_text.h"

#include <QDirIterator>
#include <QFontDatabase>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <functional>
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

// Of two runs each gets a folder of its own.
void deliverCsv(const std::string& folder, const std::vector<RunData>& runs) {
    for (const RunData& run : runs) {
        const std::filesystem::path place =
            runs.size() == 1
                ? std::filesystem::path(folder)
                : std::filesystem::path(folder) / fmt::format("run-{}", run.summary.run.id);
        orFail(writeCsv(run, place));
        printNote("Wrote the tables into " + place.string());
    }
}

std::vector<RunData> loadRuns(const RunArguments& arguments) {
    const auto store = openForReading(arguments.runLog);
    std::vector<RunData> runs;
    for (const std::int64_t id : arguments.runs) {
        runs.push_back(orFail(store->load(id)));
    }
    return runs;
}

ExitStatus writeReports(const ReportArguments& report) {
    const RunArguments arguments = parseRunArguments(report.targets);
    if (arguments.runs.empty() || arguments.runs.size() > 2) {
        throw CommandError(ExitStatus::Usage,
                           "Name one run, or two to compare: headway report [DB] RUN [RUN] ...");
    }
    if (report.html.empty() && report.pdf.empty() && report.csv.empty() && report.json.empty() &&
        report.markdown.empty()) {
        throw CommandError(
            ExitStatus::Usage,
            "Say what to write: --html FILE, --pdf FILE, --csv FOLDER, --json FILE or "
            "--markdown FILE (- is standard output).");
    }
    const ReportApplication application;
    const std::vector<RunData> runs = loadRuns(arguments);
    const bool isComparison = runs.size() == 2;
    if (!report.html.empty()) {
        deliver(report.html, isComparison ? reportHtml(runs[0], runs[1]) : reportHtml(runs[0]));
    }
    if (!report.pdf.empty()) {
        deliver(report.pdf, isComparison ? reportPdf(runs[0], runs[1]) : reportPdf(runs[0]));
    }
    if (!report.csv.empty()) {
        deliverCsv(report.csv, runs);
    }
    if (!report.json.empty()) {
        deliver(report.json, (isComparison ? comparisonJson(compareRuns(runs[0], runs[1]))
                                           : reportJson(runs[0])) +
                                 "\n");
    }
    if (!report.markdown.empty()) {
        std::string text;
        for (const RunData& run : runs) {
            text += reportMarkdown(run);
        }
        deliver(report.markdown, text);
    }
    return ExitStatus::Done;
}

struct CompareArguments {
    std::vector<std::string> targets;
    bool asJson = false;
};

std::string cautionText(const std::string& caution) {
    struct Row {
        std::string_view kind, text;
    };
    constexpr std::array kTexts = {
        Row{"sequential", "the runs followed each other, so drift of the machine is not excluded"},
        Row{"request_list_differs", "the runs sent different requests"},
        Row{"machine_differs", "the runs were made on different machines"},
        Row{"model_differs", "the runs used different models"},
        Row{"length_differs", "the runs have different lengths"},
        Row{"interrupted", "a run was interrupted"},
    };
    for (const Row& row : kTexts) {
        if (row.kind == caution) {
            return std::string(row.text);
        }
    }
    return caution;
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
        text += "\nCaution: " + cautionText(caution) + ".";
    }
    return comparison.cautions.empty() ? text : text + "\n";
}

ExitStatus compareTwo(const CompareArguments& compare) {
    const RunArguments arguments = parseRunArguments(compare.targets);
    if (arguments.runs.size() != 2) {
        throw CommandError(ExitStatus::Usage, "Name two runs: headway compare [DB] A B.");
    }
    const std::vector<RunData> runs = loadRuns(arguments);
    const Comparison comparison = compareRuns(runs[0], runs[1]);
    printOut(compare.asJson ? comparisonJson(comparison) + "\n"
                            : comparisonText(comparison, arguments.runs[0], arguments.runs[1]));
    return ExitStatus::Done;
}

// Makes the document only once it is known how to write it.
void deliverDocument(const std::string& file, const std::function<report::Document()>& make) {
    const std::string ending = std::filesystem::path(file).extension().string();
    if (ending == ".html") {
        deliver(file, report::writeHtml(make()));
    } else if (ending == ".pdf") {
        deliver(file, report::writePdf(make()));
    } else if (ending == ".md") {
        deliver(file, report::writeMarkdown(make()));
    } else {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("\"{}\" does not tell what to write: name it FILE.html, "
                                       "FILE.pdf or FILE.md.",
                                       file));
    }
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

void deliverExperiment(const std::string& file, const ExperimentResult& result,
                       const std::filesystem::path& runLog) {
    deliverDocument(file, [&] {
        const auto run = openForReading(runLog)->load(result.run.id);
        return report::experimentDocument(result, run ? &*run : nullptr);
    });
}

void deliverClaims(const std::string& file, const std::vector<ClaimRow>& rows) {
    deliverDocument(file, [&] { return report::claimsDocument(rows); });
}

void declareReport(CLI::App& command, ChosenCommand& chosen) {
    const auto report = std::make_shared<ReportArguments>();
    command.add_option("RUN", report->targets,
                       "[DB] RUN [RUN]: one run, or two to compare, after a run log other than "
                       "the user's own");
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
                       "[DB] A B: two run ids, after a run log other than the user's own");
    command.add_flag("--json", compare->asJson, "One JSON document on standard output");
    command.callback([compare, &chosen] { chosen = [compare] { return compareTwo(*compare); }; });
}

} // namespace app

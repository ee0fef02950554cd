#include "app/experiment/experiment_draft.h"

#include <QStandardPaths>

#include <fmt/format.h>
#include <system_error>

#include <algorithm>
#include <cctype>

namespace app {

ExperimentDraft::ExperimentDraft(const Experiment& experiment) : m_name(experiment.name) {
    setExperiment(experiment);
}

void ExperimentDraft::setText(const std::string& text) {
    m_text = text;
    auto parsed = parseExperiment(text, m_name);
    if (!parsed) {
        m_problem = draftProblem(parsed.error().message, m_name);
        return;
    }
    m_problem.reset();
    m_experiment = std::move(*parsed);
}

void ExperimentDraft::setExperiment(const Experiment& experiment) {
    m_experiment = experiment;
    m_experiment.name = m_name;
    if (const auto valid = validateExperiment(m_experiment); !valid) {
        m_problem = DraftProblem{.line = {}, .message = valid.error().message};
    } else {
        m_problem.reset();
    }
    const auto written = parseExperiment(m_text, m_name);
    if (!written || *written != m_experiment) {
        m_text = experimentToml(m_experiment);
    }
}

std::filesystem::path ownExperimentsFolder() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return std::filesystem::path(folder.toStdString()) / "headway" / "experiments";
}

std::vector<Experiment> ownExperiments(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".toml") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<Experiment> list;
    for (const auto& file : files) {
        if (auto experiment = loadExperiment(file.string())) {
            list.push_back(std::move(*experiment));
        }
    }
    return list;
}

std::filesystem::path ownExperimentFile(const std::filesystem::path& folder,
                                        const std::string& title) {
    std::string stem;
    for (const char c : title) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) != 0) {
            stem += static_cast<char>(std::tolower(letter));
        } else if (!stem.empty() && stem.back() != '-') {
            stem += '-';
        }
    }
    while (!stem.empty() && stem.back() == '-') {
        stem.pop_back();
    }
    stem = stem.empty() ? "own" : stem.substr(0, 60);
    // The library's names are its own.
    const auto builtIn = builtInExperiments();
    for (int number = 1;; ++number) {
        const std::string name = number == 1 ? stem : fmt::format("{}-{}", stem, number);
        const std::filesystem::path file = folder / (name + ".toml");
        const bool isBuiltIn =
            std::ranges::find(builtIn, name, &BuiltInExperiment::name) != builtIn.end();
        if (!isBuiltIn && !std::filesystem::exists(file)) {
            return file;
        }
    }
}

} // namespace app

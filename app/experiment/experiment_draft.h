// An experiment while it is edited: as a value and as text, kept equal. Text that can't be read
// keeps the last good value beside it. And the operator's own files. A value; any thread.
#pragma once

#include "app/experiment/experiment.h"
#include "app/load/workload_draft.h"

#include <filesystem>

namespace app {

class ExperimentDraft {
public:
    explicit ExperimentDraft(const Experiment& experiment);

    const std::string& text() const { return m_text; }
    const Experiment& experiment() const { return m_experiment; } // the last good one
    const std::optional<DraftProblem>& problem() const { return m_problem; }

    // Text stays as typed, comments included, where it says the same.
    void setText(const std::string& text);
    void setExperiment(const Experiment& experiment);

private:
    std::string m_name;
    std::string m_text;
    Experiment m_experiment;
    std::optional<DraftProblem> m_problem;
};

// $XDG_DATA_HOME/headway/experiments
std::filesystem::path ownExperimentsFolder();
// Files that can't be read are left out.
std::vector<Experiment> ownExperiments(const std::filesystem::path& folder);
// A file name that is free and that a title suggests: "two-sizes.toml".
std::filesystem::path ownExperimentFile(const std::filesystem::path& folder,
                                        const std::string& title);

} // namespace app

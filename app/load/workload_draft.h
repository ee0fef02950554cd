// A workload while it is edited: as a value and as text, kept equal. Text that can't be read keeps
// the last good value beside it. A value; any thread.
#pragma once

#include "app/load/workload.h"

#include <optional>
#include <string>
#include <string_view>

namespace app {

struct DraftProblem {
    std::optional<int> line; // of the text, from 1
    std::string message;
};

// "source:7: message" in its parts.
DraftProblem draftProblem(std::string_view text, std::string_view source);

class WorkloadDraft {
public:
    WorkloadDraft(); // the built-in demo
    explicit WorkloadDraft(const Workload& workload);

    const std::string& text() const { return m_text; }
    const Workload& workload() const { return m_workload; } // the last good one
    const std::optional<DraftProblem>& problem() const { return m_problem; }
    bool isGood() const { return !m_problem; }

    // Text stays as typed, comments included, where it says the same.
    void setText(const std::string& text);
    void setWorkload(const Workload& workload);

private:
    std::string m_text;
    Workload m_workload;
    std::optional<DraftProblem> m_problem;
};

} // namespace app

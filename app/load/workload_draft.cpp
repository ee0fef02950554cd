#include "app/load/workload_draft.h"

#include <charconv>

namespace app {

namespace {

constexpr std::string_view kSource = "workload";

} // namespace

DraftProblem draftProblem(std::string_view text, std::string_view source) {
    DraftProblem problem{.line = {}, .message = std::string(text)};
    const std::string prefix = std::string(source) + ":";
    if (!text.starts_with(prefix)) {
        return problem;
    }
    text.remove_prefix(prefix.size());
    int line = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
    if (error == std::errc() && line > 0) {
        problem.line = line;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(text.starts_with(":") ? 1 : 0);
    }
    const std::size_t begin = text.find_first_not_of(' ');
    problem.message = begin == std::string_view::npos ? std::string() : text.substr(begin);
    return problem;
}

WorkloadDraft::WorkloadDraft() {
    if (const auto demo = loadWorkload("demo")) {
        setWorkload(*demo);
    }
}

WorkloadDraft::WorkloadDraft(const Workload& workload) {
    setWorkload(workload);
}

void WorkloadDraft::setText(const std::string& text) {
    m_text = text;
    auto workload = parseWorkload(text, kSource);
    if (!workload) {
        m_problem = draftProblem(workload.error().message, kSource);
        return;
    }
    m_problem.reset();
    m_workload = std::move(*workload);
}

void WorkloadDraft::setWorkload(const Workload& workload) {
    m_workload = workload;
    if (const auto valid = validateWorkload(workload); !valid) {
        m_problem = DraftProblem{.line = {}, .message = valid.error().message};
    } else {
        m_problem.reset();
    }
    const auto written = parseWorkload(m_text, kSource);
    if (!written || *written != workload) {
        m_text = workloadToml(workload);
    }
}

} // namespace app

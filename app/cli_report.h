// Reports that commands write: which writer, from the file's name. Main thread.
#pragma once

#include "app/experiment/claims.h"

#include <QGuiApplication>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace app {

// Charts measure their text; Qt needs an application for that, and no display.
class ReportApplication {
public:
    ReportApplication();
    ~ReportApplication();
    ReportApplication(const ReportApplication&) = delete;
    ReportApplication& operator=(const ReportApplication&) = delete;

private:
    QtMessageHandler m_before;
    std::string m_name = "headway", m_option = "-platform", m_platform = "offscreen";
    std::array<char*, 4> m_arguments = {m_name.data(), m_option.data(), m_platform.data(), nullptr};
    int m_count = 3;
    QGuiApplication m_application;
};

// CommandError where the ending does not tell what to write: asked before anything is measured.
void requireReportName(const std::string& file);
// .html, .pdf, .md, .json, .csv. The run's own charts come from its
// log.
void deliverExperiment(const std::string& file, const ExperimentResult& result,
                       const std::filesystem::path& runLog);
void deliverClaims(const std::string& file, const std::vector<ClaimRow>& rows);

} // namespace app

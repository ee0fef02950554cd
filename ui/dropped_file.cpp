#include "ui/dropped_file.h"

#include <QFileInfo>

#include <algorithm>
#include <array>

namespace ui {

namespace {

struct Row {
    QLatin1String suffix;
    QLatin1String page;
};
// Workloads and traces are sent, run logs and exports are looked at.
constexpr std::array kRows = {
    Row{QLatin1String("toml"), QLatin1String("load")},
    Row{QLatin1String("csv"), QLatin1String("load")},
    Row{QLatin1String("jsonl"), QLatin1String("load")},
    Row{QLatin1String("db"), QLatin1String("runs")},
    Row{QLatin1String("json"), QLatin1String("runs")},
};

} // namespace

bool isModelFile(const QString& file) {
    // The index of a model in several files is JSON too.
    return file.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) ||
           file.endsWith(QLatin1String(".safetensors"), Qt::CaseInsensitive) ||
           file.endsWith(QLatin1String(".safetensors.index.json"), Qt::CaseInsensitive);
}

QString pageOfFile(const QString& file) {
    if (isModelFile(file)) {
        return {};
    }
    const auto* row = std::ranges::find(kRows, QFileInfo(file).suffix().toLower(), &Row::suffix);
    return row != kRows.end() ? QString(row->page) : QString();
}

} // namespace ui

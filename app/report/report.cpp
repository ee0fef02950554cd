#include "app/report/report.h"

#include "app/report/html_writer.h"
#include "app/report/markdown_writer.h"
#include "app/report/pdf_writer.h"
#include "app/report/sections.h"
#include "engine/output_place.h"

#include <QFile>
#include <QSaveFile>

#include <fmt/format.h>

namespace app {

std::string reportHtml(const RunData& run) {
    return report::writeHtml(report::runDocument(run));
}

std::string reportHtml(const RunSet& set) {
    return report::writeHtml(report::setDocument(set));
}

std::string reportHtml(const RunPair& pair) {
    return report::writeHtml(report::comparisonDocument(pair));
}

std::string reportPdf(const RunData& run) {
    return report::writePdf(report::runDocument(run));
}

std::string reportPdf(const RunSet& set) {
    return report::writePdf(report::setDocument(set));
}

std::string reportPdf(const RunPair& pair) {
    return report::writePdf(report::comparisonDocument(pair));
}

std::string reportMarkdown(const RunData& run) {
    return report::writeMarkdown(report::runDocument(run));
}

std::string reportMarkdown(const RunSet& set) {
    return report::writeMarkdown(report::setDocument(set));
}

std::string reportMarkdown(const RunPair& pair) {
    return report::writeMarkdown(report::comparisonDocument(pair));
}

engine::Result<void> writeFile(const std::filesystem::path& file, std::string_view content) {
    // Written beside and renamed: a full disk leaves the old file as it was.
    const QString name = QString::fromStdString(file.string());
    QSaveFile beside(name);
    QFile inPlace(name);
    const bool isInPlace = engine::outputPlace(file, ".part") == file;
    QFileDevice& out = isInPlace ? static_cast<QFileDevice&>(inPlace) : beside;
    const auto size = static_cast<qint64>(content.size());
    if (out.open(QIODevice::WriteOnly) && out.write(content.data(), size) == size &&
        (isInPlace ? inPlace.flush() : beside.commit())) {
        return {};
    }
    return std::unexpected(engine::Error{
        engine::ErrorCode::Io, fmt::format("{} can't be written: {}. Choose another place.",
                                           file.string(), out.errorString().toStdString())});
}

} // namespace app

#include "app/observe/default_model.h"

#include <QCryptographicHash>
#include <QFile>
#include <QStandardPaths>

namespace app {

namespace {

// Any file name with the right size counts: the digest decides.
bool isCandidate(const std::filesystem::directory_entry& entry) {
    std::error_code error;
    return entry.path().extension() == ".gguf" && entry.is_regular_file(error) &&
           entry.file_size(error) == kDefaultModelBytes && !error;
}

} // namespace

std::filesystem::path modelsFolder() {
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return std::filesystem::path(data.toStdString()) / "headway" / "models";
}

DefaultModel findDefaultModel(const std::filesystem::path& folder) {
    std::error_code error;
    DefaultModel model{.file = folder / (std::string(kDefaultModelName) + ".Q4_1.gguf")};
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (isCandidate(entry)) {
            return {.file = entry.path(), .presence = ModelPresence::Present};
        }
        const bool hasName = entry.path().filename().string().starts_with(kDefaultModelName);
        if (hasName && entry.path().extension() == ".gguf") {
            model = {.file = entry.path(), .presence = ModelPresence::Damaged};
        }
    }
    return model;
}

DefaultModel checkDefaultModel(const std::filesystem::path& folder) {
    DefaultModel model = findDefaultModel(folder);
    if (model.presence != ModelPresence::Present) {
        return model;
    }
    QFile file(QString::fromStdString(model.file.string()));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const bool isRight = file.open(QIODevice::ReadOnly) && hash.addData(&file) &&
                         hash.result().toHex().toStdString() == kDefaultModelSha256;
    model.presence = isRight ? ModelPresence::Present : ModelPresence::Damaged;
    return model;
}

} // namespace app

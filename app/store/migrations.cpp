#include "app/store/migrations.h"

#include "app/store/columns.h"

#include <QDir>
#include <QFile>

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

void addColumn(Database& database, std::string_view table, const std::vector<std::string>& existing,
               const std::string& column, std::string_view type) {
    if (std::ranges::find(existing, column) == existing.end()) {
        database.run(
            fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, quotedName(column), type));
    }
}

// A name that is free: an earlier attempt may have left its copy.
std::filesystem::path backupPath(const std::filesystem::path& file, std::int64_t version) {
    for (int attempt = 1;; ++attempt) {
        std::filesystem::path path = file;
        path += fmt::format(".version-{}{}.backup", version,
                            attempt == 1 ? std::string() : fmt::format("-{}", attempt));
        if (!std::filesystem::exists(path)) {
            return path;
        }
    }
}

} // namespace

std::vector<Migration> migrations() {
    std::vector<Migration> list;
    const QDir folder(QStringLiteral(":/headway/store"));
    for (const QString& name :
         folder.entryList({QStringLiteral("*.sql")}, QDir::Files, QDir::Name)) {
        QFile script(folder.filePath(name));
        if (script.open(QIODevice::ReadOnly)) {
            list.push_back({.version = name.section(QLatin1Char('_'), 0, 0).toInt(),
                            .sql = script.readAll().toStdString()});
        }
    }
    return list;
}

int newestVersion(const std::vector<Migration>& list) {
    return list.empty() ? 0 : list.back().version;
}

LogKind kindOf(const Database& database, int newest) {
    const std::int64_t application = database.integer("PRAGMA application_id");
    const std::int64_t version = database.integer("PRAGMA user_version");
    if (application == kApplicationId) {
        return version > newest ? LogKind::Newer : LogKind::Ours;
    }
    const bool isUntouched = application == 0 && version == 0 &&
                             database.integer("SELECT count(*) FROM sqlite_master") == 0;
    return isUntouched ? LogKind::Empty : LogKind::Foreign;
}

std::optional<std::filesystem::path> migrate(Database& database, const std::vector<Migration>& list,
                                             const std::filesystem::path& file) {
    const std::int64_t before = database.integer("PRAGMA user_version");
    std::optional<std::filesystem::path> backup;
    if (before > 0 && before < newestVersion(list)) {
        backup = backupPath(file, before);
        database.backupTo(*backup);
    }
    for (const Migration& migration : list) {
        if (migration.version > before) {
            Transaction transaction(database);
            database.run(migration.sql);
            database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                     kApplicationId, migration.version));
            transaction.commit();
        }
    }
    return backup;
}

void addTableColumns(Database& database) {
    Transaction transaction(database);
    const std::vector<std::string> request = database.columns("request");
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        addColumn(database, "request", request, stageColumn(static_cast<engine::Stage>(stage)),
                  "INTEGER");
    }
    for (const std::string_view column : addedRequestColumns()) {
        addColumn(database, "request", request, std::string(column), "INTEGER");
    }
    const std::vector<std::string> sample = database.columns("sample_1s");
    for (const engine::Metric& metric : engine::metricTable()) {
        addColumn(database, "sample_1s", sample, metricColumn(metric), "REAL");
    }
    transaction.commit();
}

} // namespace app

// The list at the left of the Experiments page: finished ones with their verdict, the library with
// its claims, own files. UI thread.
#pragma once

#include "app/experiment/claims.h"

#include <QListWidget>

#include <string>
#include <vector>

namespace ui {

enum class ExperimentKind : std::uint8_t { Finished, Foreign, Library, Own };

struct ExperimentEntry {
    ExperimentKind kind = ExperimentKind::Library;
    QString title, caption;
    std::optional<app::ClaimVerdict> verdict; // of a finished one
    bool isDim = false;                       // it needs what is not here
    std::size_t index = 0;                    // the owner's own
};

class ExperimentList final : public QListWidget {
    Q_OBJECT

public:
    explicit ExperimentList(QWidget* parent = nullptr);

    // Keeps the chosen entry where it is still there.
    void setEntries(std::vector<ExperimentEntry> entries);
    void setFilter(const QString& text);
    // Of the entries that are of another log: "Example", "other.db".
    void setForeignName(const QString& name) { m_foreignName = name; }
    const std::vector<ExperimentEntry>& entries() const { return m_entries; }
    void choose(ExperimentKind kind, std::size_t index);
    std::optional<ExperimentEntry> chosen() const;

Q_SIGNALS:
    void entryChosen(); // by the operator or by choose()

private:
    void fill();

    std::vector<ExperimentEntry> m_entries;
    QString m_filter, m_foreignName;
};

} // namespace ui

// The configuration panel: one row a field of the table, grouped; edits go through Session, states
// come from its ConfigStatus. UI thread.
#pragma once

#include "app/experiment/experiment.h"
#include "ui/panels/field_view.h"

#include <QHash>
#include <QString>
#include <QWidget>

#include <map>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {
class Session;
}
namespace engine {
struct Event;
}

namespace ui {

class FieldRow;
class Tag;

class ConfigForm final : public QWidget {
    Q_OBJECT

public:
    ConfigForm(app::Session& session, QWidget* parent = nullptr);

    // The row of a field, for tests and for "show me this setting".
    FieldRow* row(std::string_view key) const;
    QLineEdit* filterField() const { return m_filter; }
    void applySettings(const app::SettingTexts& settings); // a preset
    void toggle(std::string_view key);                     // a switch
    void reveal(std::string_view key); // scrolls to the row and gives it the focus
    bool canUndo() const { return !m_undo.empty(); }

public Q_SLOTS:
    void undoLast();
    void copyAsFlags();

Q_SIGNALS:
    void closeRequested(); // the panel button in the head

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Edit {
        std::string key;
        std::string before;
    };
    struct Change { // in this run
        double seconds = 0.0;
        std::string before;
    };
    struct Group {
        std::string key;
        QLabel* title = nullptr;
        QWidget* rule = nullptr;
        std::vector<FieldRow*> rows;
    };

    void buildHead(QVBoxLayout* column);
    void buildRows(QVBoxLayout* column);
    void buildFoot(QVBoxLayout* column);
    void refresh();
    void applyFilter();
    void retranslate();
    void propose(FieldRow* row, const QString& value);
    void noteChange(const engine::Event& event);
    void forgetChanges();
    void openPresets();
    void openMenu(FieldRow* row, const QPoint& globalPosition);

    app::Session& m_session;
    QLabel* m_title = nullptr;
    Tag* m_differ = nullptr;
    Tag* m_waiting = nullptr;
    QPushButton* m_close = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel* m_noMatch = nullptr;
    QWidget* m_scroll = nullptr;
    QWidget* m_reload = nullptr;
    QLabel* m_reloadText = nullptr;
    QPushButton* m_emptyPrefixes = nullptr;
    QPushButton* m_reloadButton = nullptr;
    QPushButton* m_presets = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_undoButton = nullptr;
    std::vector<Group> m_groups;
    std::map<std::string, FieldRow*, std::less<>> m_rows;
    std::map<std::string, Refusal, std::less<>> m_refusals;
    std::map<std::string, Change, std::less<>> m_changes;
    std::vector<Edit> m_undo;
    std::uint64_t m_shownVersion = 0;
};

} // namespace ui

// Log: every event as a sentence, newest first, filtered and copied; finished requests only where
// they ended badly. UI thread.
#pragma once

#include "engine/events.h"
#include "ui/models/table_model.h"
#include "ui/pages/page.h"

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class ChoiceField;
class Segmented;
class TableView;

enum class LogKind : std::uint8_t { Settings, Alarms, Engine, Load, Requests, Notes };
enum class Severity : std::uint8_t { Note, Warning, Problem };

struct LogRow {
    double seconds = 0.0; // since the start of the log
    QString clock;        // local time of day, "14:31:07.2"
    std::uint64_t step = 0;
    LogKind kind = LogKind::Engine;
    Severity severity = Severity::Note;
    engine::Event event; // its text is made when shown, in the language then chosen
};
using LogModel = TableModel<LogRow>;

class LogPage final : public Page {
    Q_OBJECT

public:
    LogPage(app::Session& session, QWidget* parent = nullptr);

    QString title() const override;
    void setShown(bool isShown) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    void openArgument(const QString& argument) override; // a filter text

    const LogModel& model() const { return *m_model; }
    QString shownText() const; // all rows shown, a line each

public Q_SLOTS:
    void copyShown();

protected:
    void changeEvent(QEvent* event) override;

private:
    void takeEvent(const engine::Event& event);
    void flush();
    void applyFilter();
    void retranslate();

    app::Session& m_session;
    LogModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QLineEdit* m_filter = nullptr;
    ChoiceField* m_kind = nullptr;
    ChoiceField* m_source = nullptr;
    Segmented* m_severity = nullptr;
    QLabel* m_counts = nullptr;
    QLabel* m_empty = nullptr;
    QPushButton* m_copy = nullptr;
    std::vector<LogRow> m_incoming;
    const engine::TimePoint m_start;
    bool m_isShown = false;
};

} // namespace ui

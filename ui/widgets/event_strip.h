// What happened, newest first: pin, time, who, what, measured effect, verdict. UI thread.
#pragma once

#include "app/compare/comparison.h"
#include "app/plot/plot.h"

#include <QFrame>

#include <vector>

class QLabel;
class QListView;

namespace ui {

class EventModel;

struct EventRow {
    int number = 0; // of its pin
    app::MarkerKind kind = app::MarkerKind::Note;
    double seconds = 0.0;
    QString who = {};
    QString what = {};
    // "TTFT p50 ", "205 → 30 ms", " [−183, −169] · n 725 / 681"; all empty: a dash.
    QString effectName = {}, effect = {}, effectDetail = {};
    app::Verdict verdict = app::Verdict::None;
    bool canUndo = false; // a setting that an operator changed
    bool isBookmark = false;
    bool operator==(const EventRow&) const = default;
};

class EventStrip final : public QFrame {
    Q_OBJECT

public:
    explicit EventStrip(QWidget* parent = nullptr);
    void setRows(std::vector<EventRow> rows); // newest first
    void setNote(const QString& note);        // beside the title: "between 02:10 and 03:05"
    void setCurrent(int number);
    // Whether the run can be cut at an event: double click, X, menu.
    void setCanSplit(bool can) { m_canSplit = can; }
    QWidget* list() const;

Q_SIGNALS:
    void activated(int number); // go there
    void undoRequested(int number);
    void removeRequested(int number); // of a bookmark
    void splitRequested(int number);  // before against after

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();
    void openMenu(const QPoint& position);

    EventModel* m_model;
    QListView* m_list;
    QLabel* m_title;
    QLabel* m_count;
    QString m_note;
    bool m_canSplit = false;
};

} // namespace ui

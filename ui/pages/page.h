// What the main window asks of a page. A page is built once from the page table, takes
// (app::Session&, QWidget* parent), and costs nothing while hidden. UI thread.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QWidget>

#include <functional>

class QKeyEvent;

namespace ui {

// One thing the command palette can run on behalf of a page: "Start load", "Follow: on".
struct PageAction {
    QString text;  // translated, a verb phrase
    QString value; // the present value of a toggle, empty for a plain action
    QString keys;  // "Ctrl+Return" as shown to people, empty without
    std::function<void()> run;
};

// A row of the page's key list (`?`).
struct KeyHint {
    QString keys;
    QString text;
};

class Page : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual QString title() const = 0; // in the rail; translated anew at every call
    // Called when the page comes to the front (true) or leaves it: stop timers, drop feeds.
    virtual void setShown(bool isShown) { static_cast<void>(isShown); }
    // The page has a place for the configuration panel beside it (Live, Load); elsewhere the panel
    // opens as a drawer over the page.
    virtual bool hasPanelBeside() const { return false; }
    // What the page keeps from one start to the next: columns, charts. Opaque to the window.
    virtual QByteArray state() const { return {}; }
    virtual void restoreState(const QByteArray& state) { static_cast<void>(state); }
    virtual QList<PageAction> actions() { return {}; }
    virtual QList<KeyHint> keys() const { return {}; }
    // What takes the focus when F6 comes to the content, and to what lies after the configuration
    // panel (the event strip); null where there is nothing.
    virtual QWidget* firstFocus() { return this; }
    virtual QWidget* lastFocus() { return nullptr; }
    // A single key that no text field took (W, F, T, Esc, ...). True: used.
    virtual bool pressKey(QKeyEvent* event) {
        static_cast<void>(event);
        return false;
    }

Q_SIGNALS:
    // Asks the window to show another page by its key ("runs"), optionally with what to show there
    // (a run's id, a filter text).
    void pageRequested(const QString& key, const QString& argument);
    // Asks the window to open a model file (already chosen).
    void modelRequested(const QString& file);
    // A finished piece of background work worth a corner message: what, detail.
    void messageRaised(const QString& text, const QString& detail);

public:
    // pageRequested() of another page arrives here.
    virtual void openArgument(const QString& argument) { static_cast<void>(argument); }
};

} // namespace ui

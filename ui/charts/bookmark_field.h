// Where a bookmark gets its name: a field over the charts, at its time. Enter keeps it, Esc or
// leaving the field does not. Deletes itself. UI thread.
#pragma once

#include <QLineEdit>

namespace ui {

class BookmarkField final : public QLineEdit {
    Q_OBJECT

public:
    static constexpr int kWidth = 260;

    // Over `parent`, its middle near `x`, in view.
    BookmarkField(double seconds, QPoint place, QWidget* parent);

Q_SIGNALS:
    void named(double seconds, const QString& name); // never empty

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void keep();

    double m_seconds;
};

} // namespace ui

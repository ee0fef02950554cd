// A few lines of free text that tell when they were changed and left. UI thread.
#pragma once

#include <QPlainTextEdit>

namespace ui {

class NoteEdit final : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit NoteEdit(QWidget* parent = nullptr);

Q_SIGNALS:
    void edited(const QString& text);

protected:
    void focusOutEvent(QFocusEvent* event) override;

private:
    bool m_isChanged = false;
};

} // namespace ui

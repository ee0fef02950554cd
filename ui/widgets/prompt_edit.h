// A text field of a few lines that grows with its text; Ctrl+Enter sends. UI thread.
#pragma once

#include <QPlainTextEdit>

namespace ui {

class PromptEdit final : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit PromptEdit(QWidget* parent = nullptr);
    QSize sizeHint() const override;

Q_SIGNALS:
    void sendRequested();
    void stopRequested(); // Esc

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fit();
};

} // namespace ui

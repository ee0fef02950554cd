// A text field of a few lines that grows with its text; Ctrl+Enter sends. UI thread.
#pragma once

#include <QPlainTextEdit>

namespace ui {

class PromptEdit final : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit PromptEdit(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    // More than any model here reads, and what is laid out at once takes a second a million.
    static constexpr qsizetype kMostCharacters = 1'000'000;

Q_SIGNALS:
    void sendRequested();
    void stopRequested(); // Esc
    void pasteRefused(const QString& why);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override; // pasted or dropped

private:
    void fit();
};

} // namespace ui

// A text editor for workload files: even letters, light colours for keys and comments, the line of
// an error marked. UI thread.
#pragma once

#include <QPlainTextEdit>

#include <optional>

namespace ui {

class TomlEdit final : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit TomlEdit(QWidget* parent = nullptr);

    // Counted from 1; empty: none.
    void setBadLine(std::optional<int> line);

protected:
    void changeEvent(QEvent* event) override;

private:
    class Highlighter;
    void markLine();

    Highlighter* m_highlighter = nullptr;
    std::optional<int> m_badLine;
};

} // namespace ui

#include "ui/widgets/toml_edit.h"

#include "ui/theme.h"

#include <QEvent>
#include <QFontDatabase>
#include <QSyntaxHighlighter>
#include <QTextBlock>

namespace ui {

class TomlEdit::Highlighter final : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& text) override {
        const qsizetype comment = commentStart(text);
        const QString code = text.left(comment);
        const qsizetype equals = code.indexOf(u'=');
        if (code.trimmed().startsWith(u'[')) {
            setFormat(0, static_cast<int>(code.size()), color(ColorRole::Accent));
        } else if (equals > 0) {
            setFormat(0, static_cast<int>(equals), color(ColorRole::Info));
            setFormat(static_cast<int>(equals), 1, color(ColorRole::Text3));
        }
        setFormat(static_cast<int>(comment), static_cast<int>(text.size() - comment),
                  color(ColorRole::Text3));
    }

private:
    // Of the first # outside quotes; the length of the text where there is none.
    static qsizetype commentStart(const QString& text) {
        bool isQuoted = false;
        for (qsizetype i = 0; i < text.size(); ++i) {
            if (text[i] == u'"') {
                isQuoted = !isQuoted;
            } else if (text[i] == u'#' && !isQuoted) {
                return i;
            }
        }
        return text.size();
    }
};

TomlEdit::TomlEdit(QWidget* parent) : QPlainTextEdit(parent) {
    QFont face = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    face.setPixelSize(type::kControl);
    document()->setDefaultFont(face);
    setLineWrapMode(NoWrap);
    setTabChangesFocus(true);
    m_highlighter = new Highlighter(document());
}

void TomlEdit::setBadLine(std::optional<int> line) {
    m_badLine = line;
    markLine();
}

void TomlEdit::markLine() {
    QList<QTextEdit::ExtraSelection> marks;
    const QTextBlock block =
        m_badLine ? document()->findBlockByNumber(*m_badLine - 1) : QTextBlock();
    if (block.isValid()) {
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(color(ColorRole::BadTint));
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks.push_back(mark);
    }
    setExtraSelections(marks);
}

void TomlEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter != nullptr) {
        m_highlighter->rehighlight();
        markLine();
    }
}

} // namespace ui

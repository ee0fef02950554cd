#include "ui/widgets/prompt_edit.h"

#include "app/labels.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMimeData>

#include <algorithm>

namespace ui {

namespace {

constexpr int kLeastLines = 3;
constexpr int kMostLines = 9;
constexpr int kFrame = 18; // padding and border of the sheet

} // namespace

PromptEdit::PromptEdit(QWidget* parent) : QPlainTextEdit(parent) {
    setTabChangesFocus(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            [this] { fit(); });
    fit();
}

QSize PromptEdit::sizeHint() const {
    // The plain-text layout measures its height in lines.
    const int lines =
        std::clamp(static_cast<int>(document()->size().height()), kLeastLines, kMostLines);
    return {240, lines * QFontMetrics(font()).lineSpacing() + kFrame};
}

void PromptEdit::fit() {
    setFixedHeight(sizeHint().height());
}

void PromptEdit::insertFromMimeData(const QMimeData* source) {
    const qsizetype characters = source->hasText() ? source->text().size() : 0;
    if (characters + document()->characterCount() > kMostCharacters) {
        Q_EMIT pasteRefused(tr("The text of %1 characters was not pasted: the playground takes %2. "
                               "headway-probe generate --prompt-file reads longer ones.")
                                .arg(app::numberText(static_cast<double>(characters)),
                                     app::numberText(static_cast<double>(kMostCharacters))));
        return;
    }
    QPlainTextEdit::insertFromMimeData(source);
}

void PromptEdit::keyPressEvent(QKeyEvent* event) {
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && event->modifiers().testFlag(Qt::ControlModifier)) {
        Q_EMIT sendRequested();
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        Q_EMIT stopRequested();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

} // namespace ui

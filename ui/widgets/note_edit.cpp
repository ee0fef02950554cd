#include "ui/widgets/note_edit.h"

#include <QFocusEvent>

namespace ui {

NoteEdit::NoteEdit(QWidget* parent) : QPlainTextEdit(parent) {
    setTabChangesFocus(true);
    setFixedHeight(72);
    connect(document(), &QTextDocument::modificationChanged, this,
            [this](bool isModified) { m_isChanged = isModified; });
}

void NoteEdit::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    if (m_isChanged && !isReadOnly()) {
        document()->setModified(false);
        Q_EMIT edited(toPlainText());
    }
}

} // namespace ui

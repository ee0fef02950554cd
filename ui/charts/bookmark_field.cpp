#include "ui/charts/bookmark_field.h"

#include "app/plot/plot.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QKeyEvent>

#include <algorithm>

namespace ui {

namespace {

constexpr int kMostLetters = 80; // a name, not a note

} // namespace

BookmarkField::BookmarkField(double seconds, QPoint place, QWidget* parent)
    : QLineEdit(parent),
      m_seconds(seconds) {
    const QString time = app::runTimeText(seconds);
    setPlaceholderText(tr("Name the bookmark at %1").arg(time));
    setAccessibleName(placeholderText());
    setAccessibleDescription(tr("Enter keeps it, Esc does not"));
    setToolTip(accessibleDescription());
    setMaxLength(kMostLetters);
    addAction(icon(QStringLiteral("pin"), ColorRole::Accent), QLineEdit::LeadingPosition);
    const int room = std::max(0, parent->width() - kWidth - space::kBetweenCards);
    const int left = std::clamp(place.x() - kWidth / 2, std::min(space::kBetweenCards, room), room);
    setGeometry(left, place.y(), kWidth, size::kControl);
    show();
    raise();
    setFocus(Qt::OtherFocusReason);
}

void BookmarkField::keep() {
    QString name = text().simplified();
    if (name.isEmpty()) {
        name = tr("Bookmark");
    }
    Q_EMIT named(m_seconds, name);
    deleteLater();
}

void BookmarkField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        keep();
    } else if (event->key() == Qt::Key_Escape) {
        deleteLater();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

void BookmarkField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) {
        deleteLater();
    }
}

} // namespace ui

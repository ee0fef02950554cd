#include "ui/widgets/choice_row.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace ui {

ChoiceRow::ChoiceRow(const QStringList& items, QWidget* parent) : QWidget(parent), m_items(items) {
    setMouseTracking(true);
}

void ChoiceRow::setItems(const QStringList& items) {
    m_items = items;
    m_current = std::clamp(m_current, 0, std::max(0, count() - 1));
    describe();
    updateGeometry();
    update();
}

void ChoiceRow::setCurrentIndex(int index) {
    if (index == m_current || index < 0 || index >= m_items.size()) {
        return;
    }
    m_current = index;
    describe();
    update();
    Q_EMIT currentChanged(index);
}

int ChoiceRow::indexAt(QPointF position) const {
    for (int i = 0; i < count(); ++i) {
        if (target(i).contains(position)) {
            return i;
        }
    }
    return -1;
}

void ChoiceRow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        setCurrentIndex(indexAt(event->position()));
    }
}

void ChoiceRow::mouseMoveEvent(QMouseEvent* event) {
    const int hovered = indexAt(event->position());
    if (hovered != m_hovered) {
        m_hovered = hovered;
        update();
    }
}

void ChoiceRow::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void ChoiceRow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        setCurrentIndex(m_current + (event->key() == Qt::Key_Right ? 1 : -1));
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace ui

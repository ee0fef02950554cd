#include "ui/widgets/choice_field.h"

#include <QStylePainter>
#include <QStyledItemDelegate>
#include <QWheelEvent>

namespace ui {

ChoiceField::ChoiceField(QWidget* parent) : QComboBox(parent) {
    // Fusion's own delegate draws a menu and ignores the sheet.
    setItemDelegate(new QStyledItemDelegate(this));
    setFocusPolicy(Qt::StrongFocus);
}

void ChoiceField::setShownText(const QString& text) {
    if (text != m_shown) {
        m_shown = text;
        update();
    }
}

void ChoiceField::paintEvent(QPaintEvent* event) {
    if (m_shown.isEmpty()) {
        QComboBox::paintEvent(event);
        return;
    }
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = m_shown;
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ChoiceField::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

} // namespace ui

#include "ui/frame/overlay_card.h"

#include "ui/theme.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace ui {

OverlayCard::OverlayCard(QWidget* window) : QWidget(window) {
    setVisible(false);
    m_card = new QWidget(this);
    m_card->setAttribute(Qt::WA_StyledBackground);
    setSheetProperty(m_card, "surface", QStringLiteral("popup"));
    window->installEventFilter(this);
}

void OverlayCard::open() {
    m_focusBefore = QApplication::focusWidget();
    prepare();
    place();
    show();
    raise();
    firstFocus()->setFocus(Qt::PopupFocusReason);
}

void OverlayCard::close() {
    if (!isVisible()) {
        return;
    }
    hide();
    if (m_focusBefore != nullptr) {
        m_focusBefore->setFocus(Qt::PopupFocusReason);
    }
}

bool OverlayCard::eventFilter(QObject* object, QEvent* event) {
    if (object == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        place();
    }
    return QWidget::eventFilter(object, event);
}

void OverlayCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        close();
    }
    event->accept(); // keys never reach the page beneath
}

void OverlayCard::mousePressEvent(QMouseEvent* event) {
    if (!m_card->geometry().contains(event->pos())) {
        close();
    }
    event->accept();
}

void OverlayCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(ColorRole::Window, 0.55));
}

void OverlayCard::place() {
    const QSize window = parentWidget()->size();
    setGeometry(QRect(QPoint(0, 0), window));
    const QSize wanted = cardSize(window);
    m_card->setGeometry(
        QRect(QPoint((window.width() - wanted.width()) / 2, cardTop(window)), wanted));
}

} // namespace ui

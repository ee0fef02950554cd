#include "ui/frame/side_panel.h"

#include "ui/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace ui {

SidePanel::SidePanel(QWidget* content, QWidget* area, QHBoxLayout* row)
    : QWidget(area),
      m_area(area),
      m_row(row) {
    setFixedWidth(kWidth);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 0, 0, 0);
    layout->addWidget(content);
    setVisible(false);
    area->installEventFilter(this);
}

void SidePanel::setMode(Mode mode) {
    if (mode == m_mode) {
        return;
    }
    if (m_mode == Mode::Beside) {
        m_row->removeWidget(this);
    }
    m_mode = mode;
    switch (mode) {
    case Mode::Hidden:
        hide();
        break;
    case Mode::Beside:
        setMaximumHeight(QWIDGETSIZE_MAX);
        setMinimumHeight(0);
        m_row->addWidget(this);
        show();
        break;
    case Mode::Drawer:
        setParent(m_area);
        placeDrawer();
        show();
        raise();
        break;
    }
}

void SidePanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(ColorRole::Panel));
    painter.fillRect(QRect(0, 0, 1, height()),
                     color(m_mode == Mode::Drawer ? ColorRole::LineStrong : ColorRole::Line));
}

void SidePanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && m_mode == Mode::Drawer) {
        Q_EMIT closeRequested();
        return;
    }
    QWidget::keyPressEvent(event);
}

bool SidePanel::eventFilter(QObject* object, QEvent* event) {
    if (object == m_area && event->type() == QEvent::Resize && m_mode == Mode::Drawer) {
        placeDrawer();
    }
    return QWidget::eventFilter(object, event);
}

void SidePanel::placeDrawer() {
    setGeometry(m_area->width() - kWidth, 0, kWidth, m_area->height());
}

} // namespace ui

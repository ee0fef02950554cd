#include "ui/frame/corner_message.h"

#include "ui/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/paint.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>

#include <chrono>

namespace ui {

CornerMessage::CornerMessage(QWidget* area) : QWidget(area) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 16, 8);
    layout->setSpacing(12);
    layout->addWidget(new Icon(QStringLiteral("check"), ColorRole::Accent, 18, this));
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    m_text = makeLabel({}, TextRole::SmallTitle, this);
    m_detail = makeLabel({}, TextRole::Small, this);
    texts->addWidget(m_text);
    texts->addWidget(m_detail);
    layout->addLayout(texts);
    m_timer = new QTimer(this);
    m_timer->setSingleShot(true);
    m_timer->setInterval(std::chrono::seconds(6));
    connect(m_timer, &QTimer::timeout, this, &QWidget::hide);
    area->installEventFilter(this);
    hide();
}

void CornerMessage::show(const QString& text, const QString& detail) {
    m_text->setText(text);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    setAccessibleName(text);
    setAccessibleDescription(detail);
    place();
    QWidget::show();
    raise();
    m_timer->start();
}

void CornerMessage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintBox(painter, QRectF(rect()), color(ColorRole::Input), color(ColorRole::LineStrong),
             radius::kMenu);
}

bool CornerMessage::eventFilter(QObject* object, QEvent* event) {
    if (object == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        place();
    }
    return QWidget::eventFilter(object, event);
}

void CornerMessage::place() {
    adjustSize();
    move(space::kBetweenCards * 2, parentWidget()->height() - height() - space::kBetweenCards * 2);
}

} // namespace ui

#include "ui/frame/rail.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/paint.h"

#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr int kButtonHeight = 48;
constexpr double kMargin = 2.0; // between the active tint and the rail's edges
constexpr int kTextRoom = 6;    // between a word and the rail's edges

} // namespace

RailButton::RailButton(const QString& iconName, QWidget* parent)
    : QAbstractButton(parent),
      m_iconName(iconName) {
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
}

QSize RailButton::sizeHint() const {
    // The page in front has the wider letters.
    const double word = textWidth(ui::font(type::kCaption, QFont::Medium), text());
    return {std::max(size::kRail - 1, static_cast<int>(std::ceil(word)) + 2 * kTextRoom),
            kButtonHeight};
}

void RailButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box = QRectF(rect()).adjusted(kMargin, 0, -kMargin + 1, 0);
    if (isChecked()) {
        paintBox(painter, box, color(ColorRole::AccentTint), Qt::transparent, radius::kField);
        painter.fillRect(QRectF(0, box.top() + 13, 2, box.height() - 26), color(ColorRole::Accent));
    } else if (underMouse()) {
        paintBox(painter, box, color(ColorRole::Hover), Qt::transparent, radius::kField);
    }
    if (hasFocus()) {
        paintFocusRing(painter, box, radius::kField);
    }
    const QColor ink = color(isChecked() ? ColorRole::Accent : ColorRole::Text2);
    paintIcon(painter, m_iconName, QRectF(box.center().x() - 10, 6, 20, 20), ink);
    const QFont font = ui::font(type::kCaption, isChecked() ? QFont::Medium : QFont::Normal);
    paintText(painter, QRectF(1, 27, width() - 2, 17), text(), font, ink, Qt::AlignCenter);
}

void RailButton::enterEvent(QEnterEvent*) {
    update();
}
void RailButton::leaveEvent(QEvent*) {
    update();
}

Rail::Rail(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 10, 1, 8);
    layout->setSpacing(0);
    layout->addWidget(new Mark(32, this), 0, Qt::AlignHCenter);
    layout->addSpacing(10);
    m_pages = new QVBoxLayout;
    m_pages->setSpacing(2);
    layout->addLayout(m_pages);
    layout->addStretch();
    m_below = new QVBoxLayout;
    m_below->setSpacing(2);
    layout->addLayout(m_below);
}

void Rail::addEntry(const QString& key, const QString& iconName, Place place,
                    std::function<QString()> text) {
    auto* button = new RailButton(iconName, this);
    (place == Place::Pages ? m_pages : m_below)->addWidget(button);
    connect(button, &QAbstractButton::clicked, this, [this, key] {
        setCurrent(m_current); // a click alone doesn't move the mark, the window does
        Q_EMIT chosen(key);
    });
    m_entries.push_back({key, button, std::move(text)});
    retranslate();
}

void Rail::setCurrent(const QString& key) {
    m_current = key;
    for (const Entry& entry : m_entries) {
        entry.button->setChecked(entry.key == key);
    }
}

QAbstractButton* Rail::button(const QString& key) const {
    for (const Entry& entry : m_entries) {
        if (entry.key == key) {
            return entry.button;
        }
    }
    return nullptr;
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(ColorRole::Panel));
    painter.fillRect(QRect(width() - 1, 0, 1, height()), color(ColorRole::Line));
}

void Rail::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QWidget::changeEvent(event);
}

void Rail::retranslate() {
    setAccessibleName(tr("Pages"));
    int widest = size::kRail - 1;
    for (const Entry& entry : m_entries) {
        entry.button->setText(entry.text());
        entry.button->setAccessibleName(entry.text());
        widest = std::max(widest, entry.button->sizeHint().width());
    }
    setFixedWidth(widest + 1); // and the line at its right
}

} // namespace ui

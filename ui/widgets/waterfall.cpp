#include "ui/widgets/waterfall.h"

#include "app/labels.h"
#include "ui/theme.h"
#include "ui/widgets/ledger_bar.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

constexpr int kRow = 17;
constexpr int kMostRows = 14;
constexpr int kValueWidth = 52;
constexpr double kBarHeight = 10.0;

} // namespace

Waterfall::Waterfall(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    describe();
}

void Waterfall::setLedger(std::optional<app::LedgerView> ledger) {
    m_ledger = std::move(ledger);
    describe();
    updateGeometry();
    update();
}

void Waterfall::setCompact(bool isCompact) {
    m_isCompact = isCompact;
    updateGeometry();
    update();
}

QString Waterfall::asText() const {
    QString text;
    if (m_ledger) {
        for (const app::LedgerBar& bar : m_ledger->bars) {
            text += app::stageLabel(bar.stage) + u'\t' +
                    app::numberText(bar.shownMs, m_ledger->decimals) + u'\n';
        }
    }
    return text;
}

void Waterfall::describe() {
    setAccessibleName(tr("Where the first token's time went, in milliseconds"));
    setAccessibleDescription(asText());
}

QSize Waterfall::sizeHint() const {
    const auto rows = m_ledger ? static_cast<int>(m_ledger->bars.size()) : kMostRows - 1;
    return {m_isCompact ? 320 : 600, rows * kRow};
}

QSize Waterfall::minimumSizeHint() const {
    return {240, sizeHint().height()};
}

int Waterfall::labelWidth() const {
    const QFontMetrics metrics(ui::font(type::kControl));
    int width = 0;
    for (const app::LedgerBar& bar : m_ledger->bars) {
        width = std::max(width, metrics.horizontalAdvance(app::stageLabel(bar.stage)));
    }
    return std::min(width + 16, this->width() / 2);
}

void Waterfall::paintEvent(QPaintEvent*) {
    if (!m_ledger || m_ledger->totalMs <= 0.0) {
        return;
    }
    QPainter painter(this);
    painter.setFont(ui::font(type::kControl));
    const double left = labelWidth();
    const double scale = (width() - left - kValueWidth - 8) / m_ledger->totalMs;
    const double row = std::min<double>(kRow, static_cast<double>(height()) /
                                                  static_cast<double>(m_ledger->bars.size()));
    double y = 0.0;
    for (const app::LedgerBar& bar : m_ledger->bars) {
        const QRectF line(0, y, width(), row);
        painter.setPen(color(ColorRole::Text2));
        painter.drawText(line.adjusted(0, 0, left - width() - 8, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, app::stageLabel(bar.stage));
        if (bar.lengthMs > 0.0) {
            // At least a pixel and a half: a stage that took time is never invisible.
            const double length = std::max(1.5, bar.lengthMs * scale);
            const double height = std::min(kBarHeight, row - 4.0);
            const double begin =
                std::min(left + bar.beginMs * scale, left + m_ledger->totalMs * scale - length);
            paintStage(painter, QRectF(begin, y + (row - height) / 2, length, height), bar.stage);
        }
        painter.setPen(color(bar.shownMs > 0.0 ? ColorRole::Text1 : ColorRole::Text3));
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                         app::numberText(bar.shownMs, m_ledger->decimals));
        y += row;
    }
}

void Waterfall::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        describe();
        update();
    }
}

} // namespace ui

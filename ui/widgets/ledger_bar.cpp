#include "ui/widgets/ledger_bar.h"

#include "app/labels.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFontMetrics>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace ui {

namespace {

struct LegendEntry {
    engine::Stage stage;
    const char* text;
};

// One entry a colour: stages of the same colour are told apart in the waterfall.
constexpr std::array<LegendEntry, 10> kLegend = {{
    {engine::Stage::Lag, QT_TRANSLATE_NOOP("ledger", "lag, admission")},
    {engine::Stage::Tokenize, QT_TRANSLATE_NOOP("ledger", "text")},
    {engine::Stage::Queue, QT_TRANSLATE_NOOP("ledger", "queue")},
    {engine::Stage::Kv, QT_TRANSLATE_NOOP("ledger", "KV")},
    {engine::Stage::ColdLoad, QT_TRANSLATE_NOOP("ledger", "cold load")},
    {engine::Stage::BatchMates, QT_TRANSLATE_NOOP("ledger", "batch mates")},
    {engine::Stage::PrefillWeights, QT_TRANSLATE_NOOP("ledger", "prefill weights")},
    {engine::Stage::PrefillCompute, QT_TRANSLATE_NOOP("ledger", "arithmetic")},
    {engine::Stage::Deliver, QT_TRANSLATE_NOOP("ledger", "deliver")},
    {engine::Stage::Remainder, QT_TRANSLATE_NOOP("ledger", "remainder")},
}};

constexpr double kMostlyQueue = 0.9;
constexpr double kRoomForBreak = 110.0;
constexpr double kSwatch = 8.0;
constexpr double kEntryGap = 14.0;

} // namespace

ColorRole stageColor(engine::Stage stage) {
    switch (stage) {
    case engine::Stage::Lag:
    case engine::Stage::Admission:
        return ColorRole::StageLag;
    case engine::Stage::ChatFormat:
    case engine::Stage::Tokenize:
        return ColorRole::StageText;
    case engine::Stage::Queue:
        return ColorRole::StageQueue;
    case engine::Stage::Kv:
        return ColorRole::StageKv;
    case engine::Stage::ColdLoad:
        return ColorRole::StageCold;
    case engine::Stage::BatchMates:
        return ColorRole::StageMates;
    case engine::Stage::PrefillWeights:
        return ColorRole::StageWeights;
    case engine::Stage::PrefillCompute:
        return ColorRole::StageCompute;
    case engine::Stage::Sample:
    case engine::Stage::Detokenize:
    case engine::Stage::Deliver:
        return ColorRole::StageDeliver;
    case engine::Stage::Remainder:
    case engine::Stage::Count:
        break;
    }
    return ColorRole::StageRemainder;
}

void paintStage(QPainter& painter, const QRectF& box, engine::Stage stage) {
    const QColor fill = color(stageColor(stage));
    if (stage == engine::Stage::Remainder) {
        painter.fillRect(box, QBrush(fill, Qt::BDiagPattern));
        painter.fillRect(box, color(stageColor(stage), 0.45));
        return;
    }
    painter.fillRect(box, fill);
}

// Where nearly all was waiting the queue is cut, with its figure, and what follows has the rest of
// the cell on a scale of its own: else at overload every bar is one colour.
static void paintBroken(QPainter& painter, const QRectF& bounds, const app::RequestRow& row,
                        double queueMs, double totalMs) {
    painter.save();
    painter.setClipRect(bounds, Qt::IntersectClip);
    const QString words =
        queueMs >= 1000.0
            ? QCoreApplication::translate("ledger", "queue %1 s")
                  .arg(app::numberText(queueMs / 1000.0, 1))
            : QCoreApplication::translate("ledger", "queue %1 ms").arg(app::numberText(queueMs));
    const QFont face = ui::font(type::kCaption, QFont::DemiBold);
    const double cut =
        std::min(bounds.width() * 0.7, QFontMetricsF(face).horizontalAdvance(words) + 22.0);
    const QRectF part(bounds.left(), bounds.top() - 2, cut, bounds.height() + 4);
    painter.setClipRect(part.united(bounds), Qt::ReplaceClip);
    paintStage(painter, part, engine::Stage::Queue);
    painter.setFont(face);
    painter.setPen(color(ColorRole::Card));
    painter.drawText(part.adjusted(5, 0, -14, 0), Qt::AlignLeft | Qt::AlignVCenter, words);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(ColorRole::Card), 1.5));
    for (const double shift : {5.0, 9.0}) {
        painter.drawLine(QPointF(part.right() - shift + 2, part.top()),
                         QPointF(part.right() - shift - 2, part.bottom()));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double rest = std::max(1e-3, totalMs - queueMs);
    const double room = bounds.right() - part.right() - 2.0;
    double at = part.right() + 2.0;
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        if (static_cast<engine::Stage>(i) == engine::Stage::Queue) {
            continue;
        }
        const double length = std::max(0.0F, (*row.ledgerMs)[i]) / rest * room;
        if (length >= 0.75) {
            paintStage(
                painter,
                QRectF(at, bounds.top(), length - (length > 2.5 ? 1.0 : 0.0), bounds.height()),
                static_cast<engine::Stage>(i));
        }
        at += length;
    }
    painter.restore();
}

void paintLedgerBar(QPainter& painter, const QRectF& bounds, const app::RequestRow& row,
                    double scaleMs) {
    if (!row.ledgerMs || scaleMs <= 0.0) {
        return;
    }
    const auto queue =
        static_cast<double>((*row.ledgerMs)[static_cast<std::size_t>(engine::Stage::Queue)]);
    const double total = std::accumulate(row.ledgerMs->begin(), row.ledgerMs->end(), 0.0);
    if (queue > kMostlyQueue * total && bounds.width() > kRoomForBreak) {
        paintBroken(painter, bounds, row, queue, total);
        return;
    }
    painter.save();
    painter.setClipRect(bounds, Qt::IntersectClip);
    double atMs = 0.0;
    double drawnTo = bounds.left();
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        const double lengthMs = std::max(0.0F, (*row.ledgerMs)[i]);
        const double begin = bounds.left() + atMs / scaleMs * bounds.width();
        const double end = bounds.left() + (atMs + lengthMs) / scaleMs * bounds.width();
        atMs += lengthMs;
        if (end - drawnTo < 0.75) { // too short to see: the next stage takes its place
            continue;
        }
        const double left = std::max(begin, drawnTo);
        const double gap = end - left > 2.5 ? 1.0 : 0.0; // the card shows between two stages
        paintStage(painter, QRectF(left, bounds.top(), end - left - gap, bounds.height()),
                   static_cast<engine::Stage>(i));
        drawnTo = end;
    }
    if (atMs > scaleMs) { // cut off: a torn edge in the colour of the surface
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(color(ColorRole::Card), 1.5));
        for (const double shift : {4.0, 8.0}) {
            painter.drawLine(QPointF(bounds.right() - shift + 2, bounds.top()),
                             QPointF(bounds.right() - shift - 2, bounds.bottom()));
        }
    }
    painter.restore();
}

LedgerLegend::LedgerLegend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Colours of the ledger"));
}

QSize LedgerLegend::sizeHint() const {
    return {200, 18};
}

void LedgerLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QFont face = ui::font(type::kCaption);
    const QFontMetrics metrics(face);
    painter.setFont(face);
    double x = 0.0;
    for (const LegendEntry& entry : kLegend) {
        const QString text = QCoreApplication::translate("ledger", entry.text);
        const double width = kSwatch + 6.0 + metrics.horizontalAdvance(text);
        if (x + width > this->width()) {
            break;
        }
        paintStage(painter, QRectF(x, (height() - kSwatch) / 2, kSwatch, kSwatch), entry.stage);
        painter.setPen(color(ColorRole::Text2));
        painter.drawText(QRectF(x + kSwatch + 6.0, 0, width, height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width + kEntryGap;
    }
}

void LedgerLegend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        setAccessibleName(tr("Colours of the ledger"));
        update();
    }
}

} // namespace ui

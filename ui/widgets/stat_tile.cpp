#include "ui/widgets/stat_tile.h"

#include "app/definitions.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double kSide = 11.0; // from the border to the text

QFont smallFont() {
    return font(type::kCaption);
}
QFont footFont() {
    return font(type::kControl);
}

double paintRuns(QPainter& painter, QRectF line, const std::vector<TileRun>& runs) {
    for (const TileRun& run : runs) {
        const double used = paintText(
            painter, line, run.text,
            font(type::kCaption, run.isStrong ? QFont::DemiBold : QFont::Normal), color(run.color));
        line.setLeft(line.left() + used);
        if (line.width() <= 0) {
            break;
        }
    }
    return line.left();
}

void paintBar(QPainter& painter, const QRectF& track, const TileBar& bar) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(ColorRole::Hover));
    painter.drawRoundedRect(track, 2, 2);
    QRectF filled = track;
    filled.setWidth(track.width() * std::clamp(bar.share, 0.0, 1.0));
    painter.setBrush(color(bar.color));
    painter.drawRoundedRect(filled, 2, 2);
    if (bar.bracket) {
        const double left = track.left() + bar.bracket->first * track.width();
        const double right = track.left() + bar.bracket->second * track.width();
        painter.setPen(QPen(color(ColorRole::Text2), 1.0));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(std::round(left) + 0.5, track.top() - 2.5,
                                       std::round(right - left), track.height() + 5.0),
                                1.5, 1.5);
    }
    if (bar.tick) {
        const double x = track.left() + *bar.tick * track.width();
        painter.fillRect(QRectF(std::round(x) - 1.0, track.top() - 3.0, 2.0, track.height() + 6.0),
                         color(ColorRole::Warn));
    }
}

void paintSparkline(QPainter& painter, const QRectF& area,
                    const std::vector<std::optional<double>>& curve, const QColor& ink) {
    double highest = 0.0;
    for (const auto& value : curve) {
        highest = std::max(highest, value.value_or(0.0));
    }
    if (curve.size() < 2 || highest <= 0.0) {
        return;
    }
    // Single lines: a path of them costs several times as much.
    painter.setPen(QPen(ink, 1.5, Qt::SolidLine, Qt::SquareCap));
    const double step = area.width() / static_cast<double>(curve.size() - 1);
    const auto place = [&](std::size_t index) {
        return QPointF(area.left() + step * static_cast<double>(index),
                       area.bottom() - *curve[index] / highest * area.height());
    };
    QList<QLineF> lines;
    for (std::size_t index = 1; index < curve.size(); ++index) {
        if (curve[index - 1] && curve[index]) { // a gap is a gap here too
            lines.emplace_back(place(index - 1), place(index));
        }
    }
    painter.drawLines(lines);
}

} // namespace

StatTile::StatTile(QWidget* parent) : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setFixedHeight(kHeight);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void StatTile::setContent(const TileContent& content) {
    if (content == m_content) {
        return;
    }
    m_content = content;
    setProperty("definition", content.definition);
    QString tip = app::definitionTip(content.definition.toStdString());
    if (!content.note.isEmpty()) {
        tip +=
            (tip.isEmpty() ? QString() : QStringLiteral("<br><br>")) + content.note.toHtmlEscaped();
    }
    setToolTip(tip);
    setAccessibleName(content.caption);
    setAccessibleDescription(asText());
    update();
}

QString StatTile::asText() const {
    QStringList parts = {m_content.caption};
    for (const TileFigure& figure : m_content.figures) {
        QStringList words;
        for (const QString& word : {figure.name, figure.value, figure.unit}) {
            if (!word.isEmpty()) {
                words << word;
            }
        }
        parts << words.join(QLatin1Char(' '));
    }
    QString foot;
    for (const TileRun& run : m_content.foot) {
        foot += run.text;
    }
    for (const QString& part : {m_content.corner, foot}) {
        if (!part.isEmpty()) {
            parts << part;
        }
    }
    return parts.join(QStringLiteral(", "));
}

QSize StatTile::sizeHint() const {
    return {m_content.figures.size() > 1 ? 270 : 110, kHeight};
}

QSize StatTile::minimumSizeHint() const {
    return {m_content.figures.size() > 1 ? 230 : 92, kHeight};
}

void StatTile::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF bounds(rect());
    const QColor border = m_content.isAlarm
                              ? color(ColorRole::BadBorder)
                              : color(underMouse() ? ColorRole::LineStrong : ColorRole::Line);
    paintBox(painter, bounds, color(ColorRole::Card), border, radius::kCard);
    if (m_content.isAlarm) {
        painter.save();
        painter.setClipRect(QRectF(0, 0, 3, height()));
        paintBox(painter, bounds, color(ColorRole::Bad), Qt::transparent, radius::kCard);
        painter.restore();
    }
    if (hasFocus()) {
        paintFocusRing(painter, bounds, radius::kCard);
    }
    const QRectF inner = bounds.adjusted(kSide, 0, -kSide, 0);
    const double corner =
        m_content.corner.isEmpty() ? 0.0 : textWidth(smallFont(), m_content.corner) + 8.0;
    paintText(painter, QRectF(inner.left(), 7, inner.width() - corner, 18), m_content.caption,
              smallFont(), color(ColorRole::Text3));
    paintText(painter, QRectF(inner.left(), 7, inner.width(), 18), m_content.corner, smallFont(),
              color(m_content.isAlarm ? ColorRole::Bad : ColorRole::Text2),
              Qt::AlignRight | Qt::AlignVCenter);
    paintFigures(painter, inner);
    paintShape(painter, inner);
    paintRuns(painter, QRectF(inner.left(), 66, inner.width(), 18), m_content.foot);
}

void StatTile::paintFigures(QPainter& painter, const QRectF& inner) const {
    const bool isRow = m_content.figures.size() > 1;
    const double column =
        inner.width() / static_cast<double>(std::max<std::size_t>(1, m_content.figures.size()));
    double left = inner.left();
    for (const TileFigure& figure : m_content.figures) {
        double nameLeft = left;
        if (figure.mark) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(*figure.mark));
            painter.drawRoundedRect(QRectF(left, 31, 12, 2.5), 1, 1);
            nameLeft += 16;
        }
        if (isRow) {
            paintText(painter, QRectF(nameLeft, 24, column - 16, 16), figure.name, smallFont(),
                      color(ColorRole::Text3));
        }
        // A figure is never cut: it gets smaller until it fits.
        int pixels = isRow ? type::kTtft : type::kTile;
        const double unit = figure.unit.isEmpty() ? 0.0 : 12.0 + textWidth(footFont(), figure.unit);
        while (pixels > type::kBody &&
               textWidth(ui::font(pixels, QFont::DemiBold), figure.value) + unit > column) {
            --pixels;
        }
        const QFont valueFont = ui::font(pixels, QFont::DemiBold);
        const QRectF line(left, isRow ? 37 : 25, column, isRow ? 32 : 28);
        const double used = paintText(painter, line, figure.value, valueFont,
                                      color(figure.isUnsure ? ColorRole::Text3 : ColorRole::Text1));
        paintText(painter, line.adjusted(used + 4, isRow ? 4 : 3, 0, isRow ? 4 : 3), figure.unit,
                  footFont(), color(ColorRole::Text3));
        left += column;
    }
}

void StatTile::paintShape(QPainter& painter, const QRectF& inner) const {
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_content.bar) {
        paintBar(painter, QRectF(inner.left(), 56, inner.width(), 6), *m_content.bar);
    } else if (!m_content.sparkline.empty()) {
        paintSparkline(painter, QRectF(inner.left(), 53, inner.width(), 11), m_content.sparkline,
                       color(m_content.sparkColor));
    }
}

void StatTile::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAttribute(Qt::WA_TranslucentBackground);
    menu->setWindowFlags(menu->windowFlags() | Qt::FramelessWindowHint |
                         Qt::NoDropShadowWindowHint);
    menu->addAction(tr("Show chart"), this, &QAbstractButton::click);
    menu->addAction(tr("Copy values"), this,
                    [this] { QApplication::clipboard()->setText(asText()); });
    menu->popup(event->globalPos());
}

void StatTile::enterEvent(QEnterEvent*) {
    update();
}
void StatTile::leaveEvent(QEvent*) {
    update();
}

} // namespace ui

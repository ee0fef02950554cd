#include "ui/widgets/tuner_scatter.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "app/value_text.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double kReach = 9.0;

QString settingOf(const app::Side& side, std::string_view key) {
    const auto found = std::ranges::find(side.settings, key, [](const auto& s) { return s.first; });
    return found != side.settings.end() ? QString::fromStdString(found->second) : QString();
}

ColorRole precisionRole(const QString& precision) {
    return precision == QStringLiteral("fp16")  ? ColorRole::SideA
           : precision == QStringLiteral("fp8") ? ColorRole::PromptTokens
                                                : ColorRole::SideB;
}

void paintShape(QPainter& painter, QPointF at, double radius, const QString& policy) {
    if (policy == QStringLiteral("dynamic")) {
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius));
    } else if (policy == QStringLiteral("selective")) {
        painter.drawPolygon(QPolygonF({{at.x(), at.y() - radius - 1},
                                       {at.x() + radius + 1, at.y() + radius},
                                       {at.x() - radius - 1, at.y() + radius}}));
    } else {
        painter.drawEllipse(at, radius, radius);
    }
}

} // namespace

TunerScatter::TunerScatter(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(300, 220);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("%n measured configuration(s)", nullptr, 0));
}

void TunerScatter::setResult(const app::Experiment& experiment, const app::TunerResult& result,
                             std::optional<double> ttftLimitMs) {
    m_experiment = experiment;
    m_result = result;
    m_limit = ttftLimitMs;
    // A few very slow ones must not press the others against the axis.
    std::vector<double> latencies;
    double output = 0.0;
    for (const app::TunerPoint& point : result.points) {
        if (point.ttftP99Ms) {
            latencies.push_back(*point.ttftP99Ms);
        }
        output = std::max(output, point.outputPerSecond);
    }
    std::ranges::sort(latencies);
    const double usual = app::quantile(latencies, 0.75).value_or(1.0) * 1.4;
    const double shown = latencies.empty() ? 1.0 : std::min(latencies.back(), usual);
    m_xMax = app::niceTicks(std::max(shown, m_limit.value_or(0.0) * 1.2)).bound;
    m_yMax = app::niceTicks(output * 1.05).bound;
    m_beyond = static_cast<int>(
        std::ranges::count_if(latencies, [this](double value) { return value > m_xMax; }));
    m_chosen = m_chosen < static_cast<int>(result.points.size()) ? m_chosen : -1;
    setAccessibleName(
        tr("%n measured configuration(s)", nullptr, static_cast<int>(result.points.size())));
    update();
}

void TunerScatter::setPlanned(int configurations, double minutes,
                              std::optional<double> ttftLimitMs) {
    m_planned = configurations;
    m_plannedMinutes = minutes;
    m_limit = ttftLimitMs;
    m_xMax = app::niceTicks(m_limit.value_or(300.0) * 2.5).bound;
    m_yMax = 1.0;
    update();
}

void TunerScatter::setChosen(int point) {
    m_chosen = point;
    if (point >= 0 && point < static_cast<int>(m_result.points.size())) {
        const auto side = static_cast<std::size_t>(m_result.points[std::size_t(point)].side);
        setAccessibleDescription(app::configurationText(m_experiment.sides[side]));
    }
    update();
}

QRectF TunerScatter::area() const {
    return QRectF(rect()).adjusted(56, 22, -14, -42);
}

QPointF TunerScatter::place(const app::TunerPoint& point) const {
    const QRectF in = area();
    return {in.left() + in.width() * point.ttftP99Ms.value_or(0.0) / m_xMax,
            in.bottom() - in.height() * point.outputPerSecond / m_yMax};
}

// One without an answer has no place, one beyond the axis is only counted.
bool TunerScatter::isDrawn(const app::TunerPoint& point) const {
    return point.ttftP99Ms && *point.ttftP99Ms <= m_xMax;
}

int TunerScatter::pointAt(QPointF position) const {
    int best = -1;
    double nearest = kReach;
    for (int i = 0; i < static_cast<int>(m_result.points.size()); ++i) {
        if (!isDrawn(m_result.points[std::size_t(i)])) {
            continue;
        }
        const QPointF away = place(m_result.points[std::size_t(i)]) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

void TunerScatter::paintAxes(QPainter& painter) const {
    const QRectF in = area();
    const QFont face = ui::font(type::kCaption);
    const app::Ticks y = app::niceTicks(m_yMax), x = app::niceTicks(m_xMax);
    if (m_limit) {
        const double right = in.left() + in.width() * std::min(1.0, *m_limit / m_xMax);
        painter.fillRect(QRectF(in.left(), in.top(), right - in.left(), in.height()),
                         color(ColorRole::Accent, 0.08));
        painter.fillRect(QRectF(right - 0.75, in.top(), 1.5, in.height()),
                         color(ColorRole::Accent));
        paintText(painter, QRectF(right + 6, in.bottom() - 20, 200, 16),
                  tr("limit, TTFT p99 ≤ %1 ms").arg(app::numberText(*m_limit)), face,
                  color(ColorRole::Accent));
    }
    const bool isEmpty = m_result.points.empty();
    for (double value = 0.0; value <= m_yMax + 1e-9 && !isEmpty; value += y.step) {
        const double at = in.bottom() - in.height() * value / m_yMax;
        painter.fillRect(QRectF(in.left(), at - 0.5, in.width(), 1),
                         color(value == 0.0 ? ColorRole::Axis : ColorRole::Grid));
        paintText(painter, QRectF(0, at - 8, in.left() - 6, 16), app::numberText(value, y.decimals),
                  face, color(ColorRole::Text3), Qt::AlignRight | Qt::AlignVCenter);
    }
    for (double value = 0.0; value <= m_xMax + 1e-9; value += x.step) {
        const double at = in.left() + in.width() * value / m_xMax;
        paintText(painter, QRectF(at - 40, in.bottom() + 4, 80, 16),
                  app::numberText(value, x.decimals), face, color(ColorRole::Text3),
                  Qt::AlignHCenter | Qt::AlignVCenter);
    }
    paintText(painter, QRectF(in.left(), in.bottom() + 22, in.width(), 16),
              tr("TTFT p99, ms, scheduled → first visible text (better ←) · up: output tokens/s"),
              face, color(ColorRole::Text3), Qt::AlignHCenter | Qt::AlignVCenter);
    if (m_beyond > 0) {
        paintText(painter, QRectF(in.right() - 260, in.top(), 256, 16),
                  tr("%n configuration(s) beyond %1 ms →", nullptr, m_beyond)
                      .arg(app::numberText(m_xMax)),
                  face, color(ColorRole::Text3), Qt::AlignRight | Qt::AlignVCenter);
    }
}

// A staircase: what is reached at each latency.
void TunerScatter::paintFront(QPainter& painter) const {
    std::vector<QPointF> front;
    for (const app::TunerPoint& point : m_result.points) {
        if (point.isOnFront) {
            front.push_back(place(point));
        }
    }
    std::ranges::sort(front, {}, [](QPointF point) { return point.x(); });
    if (front.empty()) {
        return;
    }
    QPainterPath path(QPointF(front.front().x(), area().bottom()));
    for (std::size_t i = 0; i < front.size(); ++i) {
        path.lineTo(front[i]);
        const double next = i + 1 < front.size() ? front[i + 1].x() : area().right();
        path.lineTo(QPointF(next, front[i].y()));
    }
    QPen pen(color(ColorRole::Text2), 1.2, Qt::CustomDashLine);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.setClipRect(area());
    painter.drawPath(path);
    painter.setClipping(false);
}

void TunerScatter::paintPoint(QPainter& painter, int index) const {
    const app::TunerPoint& point = m_result.points[std::size_t(index)];
    if (!isDrawn(point)) {
        return;
    }
    const app::Side& side = m_experiment.sides[std::size_t(point.side)];
    const QString precision = settingOf(side, "weights.precision");
    const ColorRole role = precisionRole(precision);
    const QPointF at = place(point);
    QColor fill = color(role, point.isOnFront ? 1.0 : 0.45);
    painter.setPen(QPen(color(role), 1.2));
    painter.setBrush(fill);
    const double radius = point.isOnFront ? 5.5 : 4.0;
    const QString policy = settingOf(side, "batching.policy");
    if (policy == QStringLiteral("dynamic")) {
        painter.setBrush(Qt::NoBrush);
    }
    paintShape(painter, at, radius, policy);
    painter.setBrush(Qt::NoBrush);
    if (m_result.optimum == index) {
        painter.setPen(QPen(color(ColorRole::Text1), 2));
        painter.drawEllipse(at, 10, 10);
    }
    if (m_result.ruleChoice == index) {
        painter.setPen(QPen(color(ColorRole::Warn), 1.8));
        painter.drawPolygon(QPolygonF({{at.x(), at.y() - 9},
                                       {at.x() + 9, at.y()},
                                       {at.x(), at.y() + 9},
                                       {at.x() - 9, at.y()}}));
        paintText(painter, QRectF(at.x() + 14, at.y() - 8, 160, 16), tr("the rule's choice"),
                  ui::font(type::kCaption, QFont::DemiBold), color(ColorRole::Warn));
    }
    if (m_chosen == index) {
        painter.setPen(QPen(color(ColorRole::Accent), 2));
        painter.drawEllipse(at, 13, 13);
    }
}

// Colours are precisions, shapes are policies: of what was measured.
void TunerScatter::paintLegend(QPainter& painter) const {
    QStringList precisions, policies;
    for (const app::TunerPoint& point : m_result.points) {
        const app::Side& side = m_experiment.sides[std::size_t(point.side)];
        for (auto [list, key] : {std::pair(&precisions, "weights.precision"),
                                 std::pair(&policies, "batching.policy")}) {
            if (const QString value = settingOf(side, key);
                !value.isEmpty() && !list->contains(value)) {
                *list << value;
            }
        }
    }
    const QFont face = ui::font(type::kCaption);
    double x = area().right();
    const auto entry = [&](const QString& name, const auto& paintMark) {
        x -= textWidth(face, name);
        paintText(painter, QRectF(x, 0, 200, 12), name, face, color(ColorRole::Text2));
        x -= 14;
        paintMark(QPointF(x + 5, 6));
        x -= 12;
    };
    for (const QString& policy : policies) {
        const engine::Field* field = engine::findField("batching.policy");
        entry(field != nullptr ? app::choiceLabel(*field, policy.toStdString()) : policy,
              [&](QPointF at) {
                  painter.setPen(QPen(color(ColorRole::Text2), 1.2));
                  painter.setBrush(Qt::NoBrush);
                  paintShape(painter, at, 4.0, policy);
              });
    }
    for (const QString& precision : precisions) {
        const engine::Field* field = engine::findField("weights.precision");
        entry(field != nullptr ? app::choiceLabel(*field, precision.toStdString()) : precision,
              [&](QPointF at) {
                  painter.setPen(Qt::NoPen);
                  painter.setBrush(color(precisionRole(precision)));
                  painter.drawEllipse(at, 4, 4);
              });
    }
}

// What the optimum is, beside it, on the side that has room.
void TunerScatter::paintCallOut(QPainter& painter) const {
    if (!m_result.optimum) {
        return;
    }
    const app::TunerPoint& best = m_result.points[std::size_t(*m_result.optimum)];
    if (!best.ttftP99Ms || *best.ttftP99Ms > m_xMax) {
        return;
    }
    const QStringList lines = {
        tr("Goodput optimum %1 req/s").arg(app::numberText(best.goodputPerSecond, 1)),
        app::configurationText(m_experiment.sides[std::size_t(best.side)]),
        tr("p99 %1 ms, output %2 tok/s, n %3")
            .arg(app::millisecondsText(best.ttftP99Ms), app::numberText(best.outputPerSecond),
                 app::numberText(static_cast<double>(best.n)))};
    const QFont strong = ui::font(type::kControl, QFont::DemiBold);
    const QFont plain = ui::font(type::kCaption);
    double width = textWidth(strong, lines[0]);
    for (int i = 1; i < lines.size(); ++i) {
        width = std::max(width, textWidth(plain, lines[i]));
    }
    const QPointF at = place(best);
    const bool isRight = at.x() + 40 + width + 24 < area().right();
    const QRectF box(isRight ? at.x() + 40 : at.x() - 40 - width - 24,
                     std::clamp(at.y() + 26, area().top(), area().bottom() - 62), width + 24, 60);
    painter.setPen(QPen(color(ColorRole::Text3), 1));
    painter.drawLine(at + QPointF(isRight ? 8 : -8, 8),
                     QPointF(isRight ? box.left() : box.right(), box.center().y()));
    paintBox(painter, box, color(ColorRole::Input), color(ColorRole::LineStrong), radius::kField);
    paintText(painter, box.adjusted(12, 6, -8, -36), lines[0], strong, color(ColorRole::Text1));
    paintText(painter, box.adjusted(12, 24, -8, -20), lines[1], plain, color(ColorRole::Text2));
    paintText(painter, box.adjusted(12, 40, -8, -4), lines[2], plain, color(ColorRole::Text2));
}

void TunerScatter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_result.points.empty()) {
        paintAxes(painter);
        const QRectF middle(area().left(), area().center().y() - 24, area().width(), 20);
        // The limit's line does not cross the words.
        painter.fillRect(middle.adjusted(0, -14, 1, 38), color(ColorRole::Card));
        paintText(painter, middle, tr("No configuration has been measured yet"),
                  ui::font(type::kBody, QFont::DemiBold), color(ColorRole::Text1), Qt::AlignCenter);
        paintText(
            painter, middle.translated(0, 24),
            tr("Search measures %1 configurations live, in about %2 min; each becomes a point.")
                .arg(app::numberText(m_planned), app::numberText(m_plannedMinutes)),
            ui::font(type::kControl), color(ColorRole::Text3), Qt::AlignCenter);
        return;
    }
    paintAxes(painter);
    paintLegend(painter);
    paintFront(painter);
    for (int i = static_cast<int>(m_result.points.size()) - 1; i >= 0; --i) {
        paintPoint(painter, i); // the best on top
    }
    paintCallOut(painter);
    if (hasFocus()) {
        paintFocusRing(painter, QRectF(rect()).adjusted(1, 1, -1, -1), radius::kField);
    }
}

void TunerScatter::mousePressEvent(QMouseEvent* event) {
    if (const int point = pointAt(event->position()); point >= 0) {
        setChosen(point);
        Q_EMIT pointChosen(point);
    }
}

void TunerScatter::mouseMoveEvent(QMouseEvent* event) {
    const int index = pointAt(event->position());
    if (index < 0) {
        QToolTip::hideText();
        return;
    }
    const app::TunerPoint& point = m_result.points[std::size_t(index)];
    QToolTip::showText(event->globalPosition().toPoint(),
                       tr("%1\nTTFT p99 %2 ms, output %3 tok/s, goodput %4 req/s, n %5")
                           .arg(app::configurationText(m_experiment.sides[std::size_t(point.side)]),
                                app::millisecondsText(point.ttftP99Ms),
                                app::numberText(point.outputPerSecond),
                                app::numberText(point.goodputPerSecond, 1),
                                app::numberText(static_cast<double>(point.n))),
                       this);
}

void TunerScatter::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(m_result.points.size());
    const bool isNext = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    const bool isBefore = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    if (count == 0 || (!isNext && !isBefore)) {
        QWidget::keyPressEvent(event);
        return;
    }
    setChosen(std::clamp(m_chosen + (isNext ? 1 : -1), 0, count - 1));
    Q_EMIT pointChosen(m_chosen);
}

} // namespace ui

#include "ui/widgets/claim_scale.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/plot/plot.h"
#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

ColorRole roleOf(app::ClaimVerdict verdict) {
    return verdict == app::ClaimVerdict::Holds         ? ColorRole::Better
           : verdict == app::ClaimVerdict::DoesNotHold ? ColorRole::Worse
                                                       : ColorRole::Text2;
}

} // namespace

VerdictLook claimLook(app::ClaimVerdict verdict) {
    const QString text = app::claimVerdictLabel(verdict);
    switch (verdict) {
    case app::ClaimVerdict::Holds:
        return {text, QStringLiteral("check"), Tone::Better};
    case app::ClaimVerdict::DoesNotHold:
        return {text, QStringLiteral("cross"), Tone::Worse};
    case app::ClaimVerdict::NotResolved:
        return {text, QStringLiteral("tilde"), Tone::Neutral};
    case app::ClaimVerdict::NotStated:
    case app::ClaimVerdict::Modelled:
        return {text, QStringLiteral("check"), Tone::Neutral};
    case app::ClaimVerdict::Needs:
        return {text, QStringLiteral("lock"), Tone::Neutral};
    case app::ClaimVerdict::NotRun:
        break;
    }
    return {text, {}, Tone::Neutral};
}

std::optional<app::Interval> claimSpan(const app::Claim& claim, const app::ClaimResult& result) {
    std::vector<double> values;
    if (claim.kind != app::ClaimKind::None) {
        values.push_back(claim.value);
        if (claim.kind == app::ClaimKind::Within) {
            values.push_back(claim.high);
        }
    }
    if (result.measured) {
        values.push_back(*result.measured);
    }
    if (result.interval) {
        values.push_back(result.interval->low);
        values.push_back(result.interval->high);
    }
    if (values.empty()) {
        return std::nullopt;
    }
    const auto [low, high] = std::ranges::minmax(values);
    const double room =
        std::max(0.18 * (high - low), 0.05 * std::max(std::abs(low), std::abs(high)));
    return app::Interval{low - std::max(room, 1e-9), high + std::max(room, 1e-9)};
}

void paintClaim(QPainter& painter, const QRectF& bounds, const app::Claim& claim,
                const app::ClaimResult& result, const app::Interval& span) {
    const double middle = bounds.center().y();
    const auto x = [&](double value) {
        return bounds.left() + bounds.width() * (value - span.low) / (span.high - span.low);
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF(bounds.left(), middle - 0.5, bounds.width(), 1),
                     color(ColorRole::LineStrong));
    if (claim.kind == app::ClaimKind::Within) {
        painter.setPen(QPen(color(ColorRole::Text1), 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(x(claim.value), middle - 6, x(claim.high) - x(claim.value), 12));
    } else if (claim.kind != app::ClaimKind::None) {
        painter.fillRect(QRectF(x(claim.value) - 1, middle - 8, 2, 16), color(ColorRole::Text1));
    }
    const QColor fill = color(roleOf(result.verdict));
    if (result.interval) {
        const double left = x(result.interval->low), right = x(result.interval->high);
        QColor pale = fill;
        pale.setAlphaF(0.45F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(pale);
        painter.drawRoundedRect(QRectF(left, middle - 3.5, std::max(2.0, right - left), 7), 2, 2);
    }
    if (result.measured) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawEllipse(QPointF(x(*result.measured), middle), 4, 4);
    }
    painter.restore();
}

ClaimScale::ClaimScale(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(48);
}

void ClaimScale::setClaim(const app::Experiment& experiment, const app::ClaimResult& result) {
    m_claim = experiment.claim;
    m_result = result;
    QString name = app::claimedLabel(experiment);
    if (result.measured) {
        name += QStringLiteral(", ") + app::claimFigure(experiment, *result.measured);
    }
    setAccessibleName(name);
    update();
}

void ClaimScale::paintEvent(QPaintEvent*) {
    const auto span = claimSpan(m_claim, m_result);
    if (!span) {
        return;
    }
    QPainter painter(this);
    const QRectF bounds(4, 4, width() - 8.0, 24);
    paintClaim(painter, bounds, m_claim, m_result, *span);
    // Ticks at 1-2-5 steps, whichever sign they have.
    const double step = app::niceTicks((span->high - span->low) * 0.9).step;
    const QFont face = ui::font(type::kCaption);
    double end = -1.0;
    for (double at = std::ceil(span->low / step) * step; at <= span->high; at += step) {
        const double x =
            bounds.left() + bounds.width() * (at - span->low) / (span->high - span->low);
        painter.fillRect(QRectF(x - 0.5, bounds.center().y(), 1, 5), color(ColorRole::LineStrong));
        const int decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : 2;
        const QString text = app::numberText(at, decimals);
        const double half = textWidth(face, text) / 2;
        if (x - half > end && x + half < width()) {
            paintText(painter, QRectF(x - half, 30, 2 * half + 2, 16), text, face,
                      color(ColorRole::Text3));
            end = x + half + 6;
        }
    }
}

} // namespace ui

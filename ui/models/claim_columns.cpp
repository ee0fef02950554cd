#include "ui/models/claim_columns.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/claim_scale.h"
#include "ui/widgets/paint.h"

#include <QCoreApplication>
#include <QPainter>

namespace ui {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("ClaimColumns", english);
}

// Text of a claim's own column; nothing in heads.
auto cell(QString (*make)(const app::ClaimRow&)) {
    return [make](const ClaimLine& line) { return line.row ? make(*line.row) : QString(); };
}

QString titleText(const ClaimLine& line) {
    return line.row ? app::experimentTitle(line.row->experiment)
                    : app::experimentGroupLabel(line.group);
}

QString measuredText(const app::ClaimRow& row) {
    return row.verdict.claim.measured
               ? app::claimFigure(row.experiment, *row.verdict.claim.measured)
               : say(QT_TRANSLATE_NOOP("ClaimColumns", "not run"));
}

QString verdictText(const app::ClaimRow& row) {
    if (row.verdict.claim.verdict == app::ClaimVerdict::Needs) {
        return app::answerText(row.experiment, row.verdict);
    }
    const QString text = claimLook(row.verdict.claim.verdict).text;
    return row.isShortened ? say(QT_TRANSLATE_NOOP("ClaimColumns", "%1, shortened")).arg(text)
                           : text;
}

QString moreText(const app::ClaimRow& row) {
    const auto& more = row.verdict.claim.moreBlocks;
    return more ? QCoreApplication::translate("ClaimColumns", "%n more block(s)", nullptr, *more)
                : QString();
}

} // namespace

std::vector<ClaimLine> claimLines(const std::vector<app::ClaimRow>& rows) {
    std::vector<ClaimLine> lines;
    std::string group;
    for (const app::ClaimRow& row : rows) {
        if (row.experiment.group != group) {
            group = row.experiment.group;
            lines.push_back({.group = group, .row = std::nullopt});
        }
        lines.push_back({.group = group, .row = row});
    }
    return lines;
}

std::vector<Column<ClaimLine>> claimColumns() {
    using C = Column<ClaimLine>;
    const auto note = [](const ClaimLine& line) {
        return line.row ? app::experimentNote(line.row->experiment) : QString();
    };
    return {
        C([] { return say(QT_TRANSLATE_NOOP("ClaimColumns", "Claim")); }, titleText)
            .withToolTip(note)
            .wide(300),
        C([] { return say(QT_TRANSLATE_NOOP("ClaimColumns", "Claimed")); },
          cell([](const app::ClaimRow& row) { return app::claimedLabel(row.experiment); }))
            .atRight()
            .wide(130),
        C([] { return say(QT_TRANSLATE_NOOP("ClaimColumns", "Measured")); }, cell(measuredText))
            .atRight()
            .wide(130),
        C([] { return say(QT_TRANSLATE_NOOP("ClaimColumns", "95 % interval")); },
          cell([](const app::ClaimRow& row) {
              const auto& interval = row.verdict.claim.interval;
              return interval ? app::claimInterval(row.experiment, *interval) : QString();
          }))
            .atRight()
            .wide(130),
        C(
            [] {
                return say(
                    QT_TRANSLATE_NOOP("ClaimColumns", "▏claimed  ● measured, with interval"));
            },
            [](const ClaimLine&) { return QString(); })
            .wide(230),
        C([] { return QStringLiteral("n"); }, cell([](const app::ClaimRow& row) {
              const auto n = static_cast<int>(row.verdict.claim.n);
              const QString number = app::numberText(static_cast<double>(row.verdict.claim.n));
              return n <= 0 ? QString()
                     : row.experiment.method == app::Method::Load
                         ? QCoreApplication::translate("ClaimColumns", "%n load(s)", nullptr, n)
                         : number;
          }))
            .atRight()
            .wide(80),
        C([] { return say(QT_TRANSLATE_NOOP("ClaimColumns", "Verdict")); }, cell(verdictText))
            .withToolTip(cell(verdictText))
            .wide(250),
    };
}

ClaimDelegate::ClaimDelegate(const ClaimModel& model, QObject* parent)
    : TableDelegate(parent),
      m_model(model) {}

TableDelegate::CellStyle ClaimDelegate::style(const QModelIndex& index) const {
    const ClaimLine& line = m_model.rowAt(index.row());
    if (!line.row) {
        return {.color = ColorRole::Text3, .isStrong = true};
    }
    const bool isMeasured = line.row->verdict.claim.measured.has_value();
    switch (static_cast<ClaimColumn>(index.column())) {
    case ClaimColumn::Measured:
        return {.color = isMeasured ? ColorRole::Text1 : ColorRole::Text3, .isStrong = isMeasured};
    case ClaimColumn::Interval:
        return {.color = ColorRole::Text2};
    default:
        return {};
    }
}

std::optional<app::ColorRole> ClaimDelegate::rowTint(const QModelIndex& index) const {
    return m_model.rowAt(index.row()).row ? std::nullopt : std::optional(ColorRole::Panel);
}

void ClaimDelegate::paintCell(QPainter& painter, const QRect& bounds,
                              const QModelIndex& index) const {
    const ClaimLine& line = m_model.rowAt(index.row());
    const auto column = static_cast<ClaimColumn>(index.column());
    if (!line.row || (column != ClaimColumn::Scale && column != ClaimColumn::Verdict)) {
        TableDelegate::paintCell(painter, bounds, index);
        return;
    }
    const app::ClaimResult& claim = line.row->verdict.claim;
    if (column == ClaimColumn::Scale) {
        if (const auto span = claimSpan(line.row->experiment.claim, claim)) {
            paintClaim(painter, QRectF(bounds).adjusted(4, 0, -4, 0), line.row->experiment.claim,
                       claim, *span);
        }
        return;
    }
    const VerdictLook look = claimLook(claim.verdict);
    QString words = verdictText(*line.row);
    const int frame = tagWidth(QString(), !look.iconName.isEmpty());
    words = QFontMetrics(ui::font(type::kCaption))
                .elidedText(words, Qt::ElideRight, std::max(20, bounds.width() - frame));
    const double end = paintTag(painter, QPointF(bounds.left(), QRectF(bounds).center().y()), words,
                                look.tone, look.iconName);
    const QString more = moreText(*line.row);
    if (!more.isEmpty()) {
        paintText(painter, QRectF(bounds).adjusted(end - bounds.left() + 8, 0, 0, 0), more,
                  ui::font(type::kCaption), color(ColorRole::Text3));
    }
}

} // namespace ui

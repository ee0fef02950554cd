#include "ui/models/comparison_columns.h"

#include "app/compare/run_views.h"
#include "app/definitions.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "app/value_text.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/interval_bar.h"

#include <QCoreApplication>
#include <QPainter>

namespace ui {

namespace {

using Row = app::ComparisonRow;

QString say(const char* english) {
    return QCoreApplication::translate("ComparisonColumns", english);
}

QString withSign(double value, int decimals) {
    const QString text = app::numberText(value, decimals);
    return value > 0.0 ? u'+' + text : text;
}

QString differenceText(const Row& row) {
    if (!row.difference) {
        return QStringLiteral("—");
    }
    const int decimals = app::shownDecimals(row);
    return app::isAboutZero(row, decimals) ? QStringLiteral("≈ 0")
                                           : withSign(*row.difference, decimals);
}

QString intervalText(const Row& row) {
    if (!row.interval) {
        return {};
    }
    const int decimals = app::shownDecimals(row);
    return QStringLiteral("[%1, %2]")
        .arg(withSign(row.interval->low, decimals), withSign(row.interval->high, decimals));
}

QString percentText(const Row& row) {
    const auto relative = app::relativeDifference(row);
    if (!relative) {
        return {};
    }
    const double percent = relative->share * 100.0;
    if (percent >= 1000.0) { // a factor says more than four digits of per cent
        return QStringLiteral("×") + app::numberText(1.0 + relative->share, 1);
    }
    return withSign(percent, std::abs(percent) < 9.95 ? 1 : 0);
}

ColorRole direction(app::Verdict verdict) {
    return verdict == app::Verdict::Better  ? ColorRole::Better
           : verdict == app::Verdict::Worse ? ColorRole::Worse
                                            : ColorRole::Text1;
}

QString countsText(const Row& row) {
    return say(QT_TRANSLATE_NOOP("ComparisonColumns", "n %1 / %2"))
        .arg(app::numberText(static_cast<double>(row.nA)),
             app::numberText(static_cast<double>(row.nB)));
}

std::optional<RelativeInterval> relativeOf(const Row& row) {
    const auto relative = app::relativeDifference(row);
    if (!relative) {
        return std::nullopt;
    }
    RelativeInterval shown{.value = relative->share, .low = {}, .high = {}};
    if (relative->interval) {
        shown.low = relative->interval->low;
        shown.high = relative->interval->high;
    }
    return shown;
}

} // namespace

double comparisonScale(const ComparisonModel& model) {
    std::vector<RelativeInterval> intervals;
    for (const Row& row : model.rows()) {
        if (const auto shown = relativeOf(row)) {
            intervals.push_back(*shown);
        }
    }
    return intervalScale(intervals);
}

std::vector<Column<Row>> comparisonColumns(std::function<QString()> nameA,
                                           std::function<QString()> nameB,
                                           std::function<double()> scale) {
    using C = Column<Row>;
    const auto value = [](std::optional<double> Row::*side) {
        return
            [side](const Row& row) { return app::numberText(row.*side, app::shownDecimals(row)); };
    };
    return {
        C([] { return say(QT_TRANSLATE_NOOP("ComparisonColumns", "Measure")); },
          [](const Row& row) {
              return app::measureLabel(row.metric) + u' ' + app::unitText(row.unit);
          })
            .withToolTip([](const Row& row) {
                return app::definitionTip(row.metric) + QStringLiteral("<br><br>") +
                       countsText(row);
            })
            .wide(150),
        C(nameA, value(&Row::a)).withToolTip(countsText).atRight().wide(58),
        C(nameB, value(&Row::b)).withToolTip(countsText).atRight().wide(58),
        C([nameA, nameB] { return nameB() + QStringLiteral(" − ") + nameA(); }, differenceText)
            .atRight()
            .wide(82),
        C([] { return say(QT_TRANSLATE_NOOP("ComparisonColumns", "95 % interval")); }, intervalText)
            .atRight()
            .wide(122),
        C([scale] { return intervalScaleText(scale()); },
          [](const Row&) {
              return QString();
          }).wide(124),
        C([] { return QStringLiteral("%"); }, percentText).atRight().wide(50),
        C([] { return say(QT_TRANSLATE_NOOP("ComparisonColumns", "Verdict")); },
          [](const Row& row) { return verdictLook(row.verdict).text; })
            .withToolTip([](const Row& row) {
                return row.interval || !row.difference
                           ? countsText(row)
                           : say(QT_TRANSLATE_NOOP("ComparisonColumns",
                                                   "Too few values for an interval")) +
                                 QStringLiteral("\n") + countsText(row);
            })
            .wide(108),
    };
}

ComparisonDelegate::ComparisonDelegate(const ComparisonModel& model, QObject* parent)
    : TableDelegate(parent),
      m_model(model) {}

TableDelegate::CellStyle ComparisonDelegate::style(const QModelIndex& index) const {
    const Row& row = m_model.rowAt(index.row());
    switch (static_cast<ComparisonColumn>(index.column())) {
    case ComparisonColumn::Difference:
        return {.color = direction(row.verdict), .isStrong = true};
    case ComparisonColumn::Percent:
        return {.color = direction(row.verdict)};
    case ComparisonColumn::Interval:
        return {.color = ColorRole::Text2};
    default:
        return {};
    }
}

void ComparisonDelegate::paintCell(QPainter& painter, const QRect& bounds,
                                   const QModelIndex& index) const {
    const Row& row = m_model.rowAt(index.row());
    const double middle = bounds.top() + bounds.height() / 2.0;
    switch (static_cast<ComparisonColumn>(index.column())) {
    case ComparisonColumn::Measure: {
        const QFont face = ui::font(type::kControl);
        const QString label = app::measureLabel(row.metric);
        painter.setFont(face);
        painter.setPen(color(ColorRole::Text1));
        painter.drawText(bounds, Qt::AlignLeft | Qt::AlignVCenter, label);
        const int width = QFontMetrics(face).horizontalAdvance(label);
        painter.setPen(color(ColorRole::Text3));
        painter.drawText(bounds.adjusted(width + 5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         app::unitText(row.unit));
        return;
    }
    case ComparisonColumn::Bar: {
        if (const auto shown = relativeOf(row)) {
            const bool isResolved =
                row.verdict == app::Verdict::Better || row.verdict == app::Verdict::Worse;
            paintIntervalBar(painter, QRectF(bounds.left(), middle - 7, bounds.width(), 14), *shown,
                             comparisonScale(m_model),
                             color(isResolved ? direction(row.verdict) : ColorRole::Text2));
        }
        return;
    }
    case ComparisonColumn::Verdict: {
        const VerdictLook look = verdictLook(row.verdict);
        if (!look.text.isEmpty()) {
            paintTag(painter, QPointF(bounds.left(), middle), look.text, look.tone, look.iconName);
        }
        return;
    }
    default:
        TableDelegate::paintCell(painter, bounds, index);
    }
}

} // namespace ui

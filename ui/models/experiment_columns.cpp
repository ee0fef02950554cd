#include "ui/models/experiment_columns.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/value_text.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/interval_bar.h"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>

namespace ui {

namespace {

using Row = app::MeasureVerdict;

QString say(const char* english) {
    return QCoreApplication::translate("ExperimentColumns", english);
}

int decimalsOf(const Row& row) {
    const double size = std::max(std::abs(row.a), std::abs(row.b));
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

QString withSign(double value, int decimals) {
    const QString text = app::numberText(value, decimals);
    return value > 0.0 ? u'+' + text : text;
}

QString intervalText(const Row& row) {
    if (!row.interval) {
        return {};
    }
    const int decimals = decimalsOf(row);
    return QStringLiteral("[%1, %2]")
        .arg(withSign(row.interval->low, decimals), withSign(row.interval->high, decimals));
}

QString chanceText(const Row& row) {
    if (!row.p) {
        return {};
    }
    return *row.p < 0.001 ? QStringLiteral("< 0.001") : app::numberText(*row.p, 3);
}

ColorRole direction(const Row& row) {
    return row.verdict == app::Verdict::Better  ? ColorRole::Better
           : row.verdict == app::Verdict::Worse ? ColorRole::Worse
                                                : ColorRole::Text1;
}

QString countsText(const Row& row) {
    QString text = say(QT_TRANSLATE_NOOP("ExperimentColumns", "n %1 / %2"))
                       .arg(app::numberText(static_cast<double>(row.nA)),
                            app::numberText(static_cast<double>(row.nB)));
    if (row.isThin) {
        text += QLatin1Char('\n') +
                say(QT_TRANSLATE_NOOP("ExperimentColumns",
                                      "A block has too few requests to bound this quantile; its "
                                      "own value is compared all the same."));
    }
    if (row.moreBlocks) {
        text += QLatin1Char('\n') + QCoreApplication::translate("ExperimentColumns",
                                                                "About %n more block(s) would tell",
                                                                nullptr, *row.moreBlocks);
    }
    return text;
}

std::optional<RelativeInterval> relativeOf(const Row& row) {
    if (row.a == 0.0) {
        return std::nullopt;
    }
    RelativeInterval shown{.value = row.difference / std::abs(row.a), .low = {}, .high = {}};
    if (row.interval) {
        shown.low = row.interval->low / std::abs(row.a);
        shown.high = row.interval->high / std::abs(row.a);
    }
    return shown;
}

} // namespace

double measureScale(const MeasureModel& model) {
    std::vector<RelativeInterval> intervals;
    for (const Row& row : model.rows()) {
        if (const auto shown = relativeOf(row)) {
            intervals.push_back(*shown);
        }
    }
    return intervalScale(intervals);
}

std::vector<Column<Row>> measureColumns(std::function<double()> scale) {
    using C = Column<Row>;
    const auto value = [](double Row::*side) {
        return [side](const Row& row) { return app::numberText(row.*side, decimalsOf(row)); };
    };
    return {
        C([] { return say(QT_TRANSLATE_NOOP("ExperimentColumns", "Measure")); },
          [](const Row& row) {
              const app::Measure* measure = app::findExperimentMeasure(row.metric);
              return measure == nullptr ? QString::fromStdString(row.metric)
                                        : app::experimentMeasureLabel(*measure) + u' ' +
                                              app::unitText(measure->unit);
          })
            .withToolTip(countsText)
            .wide(130),
        C([] { return QStringLiteral("A"); }, value(&Row::a)).atRight().wide(70),
        C([] { return QStringLiteral("B"); }, value(&Row::b)).atRight().wide(70),
        C([] { return QStringLiteral("B − A"); },
          [](const Row& row) { return withSign(row.difference, decimalsOf(row)); })
            .atRight()
            .wide(76),
        C([] { return say(QT_TRANSLATE_NOOP("ExperimentColumns", "95 % interval")); }, intervalText)
            .atRight()
            .wide(126),
        C([scale] { return intervalScaleText(scale()); },
          [](const Row&) {
              return QString();
          }).wide(150),
        C([] { return say(QT_TRANSLATE_NOOP("ExperimentColumns", "p, Holm")); }, chanceText)
            .withToolTip([](const Row&) {
                return say(QT_TRANSLATE_NOOP("ExperimentColumns",
                                             "Paired t over rounds, adjusted by Holm over the "
                                             "measures of this table"));
            })
            .atRight()
            .wide(92),
        C([] { return say(QT_TRANSLATE_NOOP("ExperimentColumns", "Verdict")); },
          [](const Row& row) { return verdictLook(row.verdict).text; })
            .withToolTip(countsText)
            .wide(112),
    };
}

MeasureDelegate::MeasureDelegate(const MeasureModel& model, QObject* parent)
    : TableDelegate(parent),
      m_model(model) {}

TableDelegate::CellStyle MeasureDelegate::style(const QModelIndex& index) const {
    switch (static_cast<MeasureColumn>(index.column())) {
    case MeasureColumn::Difference:
        return {.color = direction(m_model.rowAt(index.row())), .isStrong = true};
    case MeasureColumn::Interval:
    case MeasureColumn::P:
        return {.color = ColorRole::Text2};
    default:
        return {};
    }
}

void MeasureDelegate::paintCell(QPainter& painter, const QRect& bounds,
                                const QModelIndex& index) const {
    const Row& row = m_model.rowAt(index.row());
    const double middle = bounds.top() + bounds.height() / 2.0;
    if (index.column() == static_cast<int>(MeasureColumn::Bar)) {
        if (const auto shown = relativeOf(row)) {
            const bool isResolved =
                row.verdict == app::Verdict::Better || row.verdict == app::Verdict::Worse;
            paintIntervalBar(painter, QRectF(bounds.left(), middle - 7, bounds.width(), 14), *shown,
                             measureScale(m_model),
                             color(isResolved ? direction(row) : ColorRole::Text2));
        }
    } else if (index.column() == static_cast<int>(MeasureColumn::Verdict)) {
        const VerdictLook look = verdictLook(row.verdict);
        paintTag(painter, QPointF(bounds.left(), middle), look.text, look.tone, look.iconName);
    } else {
        TableDelegate::paintCell(painter, bounds, index);
    }
}

} // namespace ui

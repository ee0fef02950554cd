#include "ui/panels/replay_columns.h"

#include "app/compare/comparison.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "app/value_text.h"

#include <QCoreApplication>

#include <cmath>

namespace ui {

namespace {

using Row = app::ReplayRow;

QString say(const char* english) {
    return QCoreApplication::translate("ReplayColumns", english);
}

QString nameText(const Row& row) {
    const app::Measure* measure = app::findMeasure(row.key);
    return measure != nullptr ? app::measureLabel(row.key) + u' ' + app::unitText(measure->unit)
           : row.key == "requests" ? say(QT_TRANSLATE_NOOP("ReplayColumns", "Requests sent"))
                                   : say(QT_TRANSLATE_NOOP("ReplayColumns", "Completed requests"));
}

Column<Row> figure(const char* title, std::optional<double> Row::*member) {
    return Column<Row>([title] { return say(title); },
                       [member](const Row& row) {
                           const auto& value = row.*member;
                           const double size = std::abs(value.value_or(0.0));
                           return app::numberText(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
                       })
        .atRight()
        .wide(120);
}

QString errorText(const Row& row) {
    if (!row.error) {
        return QStringLiteral("—");
    }
    const QString text = app::numberText(100.0 * *row.error, 1);
    return (*row.error > 0.0 ? u'+' + text : text) + QStringLiteral(" %");
}

} // namespace

std::vector<Column<Row>> replayColumns() {
    return {Column<Row>([] { return say(QT_TRANSLATE_NOOP("ReplayColumns", "Figure")); }, nameText)
                .wide(200),
            figure(QT_TRANSLATE_NOOP("ReplayColumns", "Recorded"), &Row::recorded),
            figure(QT_TRANSLATE_NOOP("ReplayColumns", "Simulated"), &Row::simulated),
            figure(QT_TRANSLATE_NOOP("ReplayColumns", "Real"), &Row::real),
            Column<Row>(
                [] { return say(QT_TRANSLATE_NOOP("ReplayColumns", "Error of the simulation")); },
                errorText)
                .atRight()
                .wide(190)};
}

TableDelegate::CellStyle ReplayDelegate::style(const QModelIndex& index) const {
    switch (static_cast<ReplayColumn>(index.column())) {
    case ReplayColumn::Recorded:
    case ReplayColumn::Simulated:
        return {.color = app::ColorRole::Text2};
    case ReplayColumn::Real:
        return {.color = app::ColorRole::Text1, .isStrong = true};
    default:
        return {};
    }
}

} // namespace ui

#include "ui/charts/plot_table.h"

#include "app/labels.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

std::vector<double> allX(const app::Plot& plot) {
    std::vector<double> result;
    for (const app::Series& series : plot.series) {
        for (const QPointF& point : series.points) {
            if (point.x() >= plot.xMin && point.x() <= plot.xMax) {
                result.push_back(point.x());
            }
        }
    }
    std::ranges::sort(result);
    const auto repeated = std::ranges::unique(result);
    result.erase(repeated.begin(), repeated.end());
    return result;
}

QString xTitle(const app::Plot& plot) {
    return plot.xAxis == app::XAxis::RunTime ? QCoreApplication::translate("Chart", "run time")
                                             : plot.unit;
}

} // namespace

void PlotTable::setPlot(const app::Plot& plot) {
    beginResetModel();
    m_plot = plot;
    m_x = allX(plot);
    endResetModel();
}

int PlotTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_x.size());
}

int PlotTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_plot.series.size()) + 1;
}

QVariant PlotTable::data(const QModelIndex& index, int role) const {
    if (role == Qt::TextAlignmentRole) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole || !index.isValid()) {
        return {};
    }
    // Newest first: what is asked for most is in view at once.
    const double x = m_x[m_x.size() - 1 - static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        return m_plot.xAxis == app::XAxis::RunTime ? app::runTimeText(x) : app::numberText(x, 1);
    }
    const auto& series = m_plot.series[static_cast<std::size_t>(index.column() - 1)];
    return app::numberText(app::valueAt(series, x), std::max(1, m_plot.decimals));
}

QVariant PlotTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    return section == 0 ? xTitle(m_plot)
                        : m_plot.series[static_cast<std::size_t>(section - 1)].name;
}

QString plotAsText(const app::Plot& plot) {
    QStringList lines;
    QStringList head = {plot.xAxis == app::XAxis::RunTime ? QStringLiteral("seconds")
                                                          : QStringLiteral("x")};
    for (const app::Series& series : plot.series) {
        head << series.name;
    }
    lines << head.join(QLatin1Char('\t'));
    for (const double x : allX(plot)) {
        QStringList cells = {QString::number(x, 'f', 3)};
        for (const app::Series& series : plot.series) {
            const auto value = app::valueAt(series, x);
            cells << (value ? QString::number(*value, 'g', 10) : QString());
        }
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace ui

// The values of a plot as rows: x, then one column a series. For those who read numbers, and for
// the clipboard. UI thread.
#pragma once

#include "app/plot/plot.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class PlotTable final : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit PlotTable(QObject* parent) : QAbstractTableModel(parent) {}
    void setPlot(const app::Plot& plot);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    app::Plot m_plot;
    std::vector<double> m_x;
};

// Tab-separated, with a head: what a spreadsheet takes. Gaps are empty, numbers are plain.
QString plotAsText(const app::Plot& plot);

} // namespace ui

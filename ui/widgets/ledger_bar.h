// Where the first token's time went, as one bar: stages side by side on a scale that a table's rows
// share. Painted by delegates; the legend is a widget. UI thread.
#pragma once

#include "app/observe/request_row.h"
#include "ui/theme.h"

#include <QPainter>
#include <QWidget>

namespace ui {

ColorRole stageColor(engine::Stage stage);

// The bar within `bounds`, whose width stands for `scaleMs`. A longer bar ends in an open edge.
void paintLedgerBar(QPainter& painter, const QRectF& bounds, const app::RequestRow& row,
                    double scaleMs);
// A block of a stage's colour; the remainder is hatched, because nothing names it.
void paintStage(QPainter& painter, const QRectF& box, engine::Stage stage);

// Colour and name of every group of stages, wrapped into the width.
class LedgerLegend final : public QWidget {
    Q_OBJECT

public:
    explicit LedgerLegend(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
};

} // namespace ui

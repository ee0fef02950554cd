// Measured configurations as points of TTFT p99 and throughput: colour by precision, shape by
// policy, the front dashed, the area within the limit tinted, the optimum ringed, the rule's choice
// a diamond. A click chooses, arrows walk. UI thread.
#pragma once

#include "app/experiment/tuner.h"

#include <QWidget>

namespace ui {

class TunerScatter final : public QWidget {
    Q_OBJECT

public:
    explicit TunerScatter(QWidget* parent = nullptr);

    void setResult(const app::Experiment& experiment, const app::TunerResult& result,
                   std::optional<double> ttftLimitMs);
    // Before anything is measured: how much will be, within which limit.
    void setPlanned(int configurations, double minutes, std::optional<double> ttftLimitMs);
    void setChosen(int point); // -1: none
    int chosen() const { return m_chosen; }
    QSize sizeHint() const override { return {560, 380}; }

Q_SIGNALS:
    void pointChosen(int point);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF area() const;
    QPointF place(const app::TunerPoint& point) const;
    bool isDrawn(const app::TunerPoint& point) const;
    int pointAt(QPointF position) const;
    void paintLegend(QPainter& painter) const;
    void paintCallOut(QPainter& painter) const;
    void paintAxes(QPainter& painter) const;
    void paintFront(QPainter& painter) const;
    void paintPoint(QPainter& painter, int index) const;

    app::Experiment m_experiment;
    app::TunerResult m_result;
    std::optional<double> m_limit;
    double m_xMax = 1.0, m_yMax = 1.0;
    int m_planned = 0;
    double m_plannedMinutes = 0.0;
    int m_beyond = 0; // points outside the picture
    int m_chosen = -1;
};

} // namespace ui

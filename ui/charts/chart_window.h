// A chart in a window of its own, for a second screen. It shares the group of the page that made it
// and is fed by that page, also while the page is hidden. UI thread.
#pragma once

#include <QWidget>

namespace ui {

class ChartGroup;
class ChartView;

class ChartWindow final : public QWidget {
    Q_OBJECT

public:
    // `page` owns it.
    ChartWindow(ChartGroup& group, QWidget* page);
    ~ChartWindow() override;
    ChartView* chart() const { return m_chart; }
    // Whether a plot would be seen.
    bool isSeen() const { return isVisible() && !isMinimized(); }

Q_SIGNALS:
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ChartGroup& m_group;
    ChartView* m_chart;
};

} // namespace ui

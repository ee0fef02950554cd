// The configuration panel's place: beside the page where there is room for it, else a drawer over
// the page's right side that closes on Esc. UI thread.
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace ui {

class SidePanel final : public QWidget {
    Q_OBJECT

public:
    static constexpr int kWidth = 312;

    enum class Mode { Hidden, Beside, Drawer };

    // `area` is what a drawer lies over; `row` is where the panel stands beside the page.
    SidePanel(QWidget* content, QWidget* area, QHBoxLayout* row);
    void setMode(Mode mode);
    Mode mode() const { return m_mode; }

Q_SIGNALS:
    void closeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void placeDrawer();

    QWidget* m_area;
    QHBoxLayout* m_row;
    Mode m_mode = Mode::Hidden;
};

} // namespace ui

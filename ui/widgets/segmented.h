// A row of choices of which one is on: "Form | TOML". Left and Right walk, a click chooses. UI
// thread.
#pragma once

#include <QStringList>
#include <QWidget>

namespace ui {

class Segmented final : public QWidget {
    Q_OBJECT

public:
    explicit Segmented(const QStringList& items, QWidget* parent = nullptr);

    void setItems(const QStringList& items); // keeps the chosen index where it still exists
    int currentIndex() const { return m_current; }
    void setCurrentIndex(int index);
    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF segment(int index) const;
    int indexAt(QPointF position) const;

    QStringList m_items;
    int m_current = 0;
    int m_hovered = -1;
};

} // namespace ui

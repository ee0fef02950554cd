// The views of a page as a row of words, the chosen one underlined. Left and Right walk, a click
// chooses. UI thread.
#pragma once

#include <QStringList>
#include <QWidget>

namespace ui {

class TabRow final : public QWidget {
    Q_OBJECT

public:
    explicit TabRow(QWidget* parent = nullptr);

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
    QRectF place(int index) const;
    int indexAt(QPointF position) const;
    void describe();

    QStringList m_items;
    int m_current = 0;
    int m_hovered = -1;
};

} // namespace ui

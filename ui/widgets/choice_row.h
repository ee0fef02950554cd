// A row of words of which one is on. Left and Right walk, a click chooses. Base of those that draw
// it: segments of a control, tabs of a page. UI thread.
#pragma once

#include <QStringList>
#include <QWidget>

namespace ui {

class ChoiceRow : public QWidget {
    Q_OBJECT

public:
    explicit ChoiceRow(const QStringList& items, QWidget* parent);

    void setItems(const QStringList& items); // keeps the chosen index where it still exists
    int currentIndex() const { return m_current; }
    void setCurrentIndex(int index);

Q_SIGNALS:
    void currentChanged(int index);

protected:
    const QStringList& items() const { return m_items; }
    int count() const { return static_cast<int>(m_items.size()); }
    // Chosen, or under the mouse.
    bool isLit(int index) const { return index == m_current || index == m_hovered; }
    virtual QRectF target(int index) const = 0; // where a click chooses it
    virtual void describe() = 0;                // to a screen reader, after a change

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    int indexAt(QPointF position) const;

    QStringList m_items;
    int m_current = 0;
    int m_hovered = -1;
};

} // namespace ui

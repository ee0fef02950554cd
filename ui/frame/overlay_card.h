// A card over the window that closes on Esc or a click beside it and gives the focus back. Base of
// the command palette and the key list. UI thread.
#pragma once

#include <QPointer>
#include <QWidget>

namespace ui {

class OverlayCard : public QWidget {
    Q_OBJECT

public:
    explicit OverlayCard(QWidget* window); // covers the whole of `window`
    void open();
    void close();

protected:
    QWidget* card() const { return m_card; }
    virtual QSize cardSize(QSize window) const = 0;
    virtual int cardTop(QSize window) const = 0;
    virtual QWidget* firstFocus() = 0;
    virtual void prepare() {} // called before it is shown

    bool eventFilter(QObject* object, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();

    QWidget* m_card;
    QPointer<QWidget> m_focusBefore;
};

} // namespace ui

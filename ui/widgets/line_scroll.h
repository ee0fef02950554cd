// A scroll area for text: the last line at its lower edge is shown whole or not at all. UI thread.
#pragma once

#include <QScrollArea>

namespace ui {

class LineScroll final : public QScrollArea {
    Q_OBJECT

public:
    explicit LineScroll(QWidget* parent = nullptr);

    // How much of the viewport's height shows something.
    int shownHeight() const { return m_shownHeight; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override; // of the content
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void trim();

    int m_shownHeight = 0;
};

} // namespace ui

// `?`: the keys of the window and of the page in front. UI thread.
#pragma once

#include "ui/frame/overlay_card.h"
#include "ui/pages/page.h"

#include <functional>
#include <vector>

class QGridLayout;
class QPushButton;
class QScrollArea;

namespace ui {

struct KeyGroup {
    QString title;
    QList<KeyHint> keys;
};

class KeyList final : public OverlayCard {
    Q_OBJECT

public:
    KeyList(QWidget* window, std::function<std::vector<KeyGroup>()> groups);

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;

private:
    std::function<std::vector<KeyGroup>()> m_source;
    QScrollArea* m_scroll;
    QPushButton* m_close;
};

} // namespace ui

// Ctrl+K: every action and toggle with its present value, found by typing a few letters of it. UI
// thread.
#pragma once

#include "ui/frame/overlay_card.h"
#include "ui/pages/page.h"

#include <functional>
#include <vector>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace ui {

// How well `query` fits `text`: 0 does not fit; letters in order fit, at the starts of words and in
// a row fit better. An empty query fits everything equally.
int matchScore(const QString& query, const QString& text);

class CommandPalette final : public OverlayCard {
    Q_OBJECT

public:
    // `commands` is asked each time the palette opens, so that values are present ones.
    CommandPalette(QWidget* window, std::function<std::vector<PageAction>()> commands);

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;
    bool eventFilter(QObject* object, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void filter();
    void runCurrent();
    void moveBy(int rows);
    void retranslate();

    std::function<std::vector<PageAction>()> m_source;
    std::vector<PageAction> m_commands;
    QLineEdit* m_query;
    QListView* m_list;
    QStandardItemModel* m_model;
};

} // namespace ui

#include "ui/frame/key_list.h"

#include "ui/icons.h"
#include "ui/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

// "Ctrl+K / F1" becomes one badge a key.
QWidget* makeKeys(const QString& keys, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    for (const QString& key : keys.split(QStringLiteral(" / "))) {
        auto* label = new QLabel(key, box);
        setSheetProperty(label, "badge", QStringLiteral("key"));
        layout->addWidget(label);
    }
    layout->addStretch();
    return box;
}

QWidget* makeGroup(const KeyGroup& group, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->addWidget(makeLabel(group.title, TextRole::SmallTitle, box), 0, 0, 1, 2);
    int row = 1;
    for (const KeyHint& hint : group.keys) {
        grid->addWidget(makeKeys(hint.keys, box), row, 0);
        auto* text = makeLabel(hint.text, TextRole::Small, box);
        text->setWordWrap(true);
        grid->addWidget(text, row, 1);
        ++row;
    }
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(row, 1);
    return box;
}

} // namespace

KeyList::KeyList(QWidget* window, std::function<std::vector<KeyGroup>()> groups)
    : OverlayCard(window),
      m_source(std::move(groups)) {
    auto* layout = new QVBoxLayout(card());
    layout->setContentsMargins(20, 16, 12, 16);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_close = makeButton({}, ButtonKind::Quiet, this);
    m_close->setIcon(icon(QStringLiteral("cross")));
    connect(m_close, &QPushButton::clicked, this, &OverlayCard::close);
    layout->addWidget(m_close, 0, Qt::AlignRight);
    layout->addWidget(m_scroll, 1);
}

QSize KeyList::cardSize(QSize window) const {
    return {std::min(760, window.width() - 40), std::min(560, window.height() - 80)};
}

int KeyList::cardTop(QSize window) const {
    return (window.height() - cardSize(window).height()) / 2;
}

QWidget* KeyList::firstFocus() {
    return m_close;
}

void KeyList::prepare() {
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    setAccessibleName(tr("Keys"));
    auto* content = new QWidget;
    auto* columns = new QHBoxLayout(content);
    columns->setSpacing(32);
    QVBoxLayout* sides[2] = {new QVBoxLayout, new QVBoxLayout};
    std::size_t index = 0;
    for (const KeyGroup& group : m_source()) {
        if (!group.keys.isEmpty()) {
            auto* side = sides[index == 0 ? 0 : 1];
            side->addWidget(makeGroup(group, content));
            side->addSpacing(14);
            ++index;
        }
    }
    for (QVBoxLayout* side : sides) {
        side->addStretch();
        columns->addLayout(side, 1);
    }
    m_scroll->setWidget(content);
}

} // namespace ui

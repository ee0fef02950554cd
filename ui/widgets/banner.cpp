#include "ui/widgets/banner.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

namespace ui {

namespace {

struct ToneLook {
    ColorRole ink, tint, border;
};

ToneLook lookOf(BannerTone tone) {
    switch (tone) {
    case BannerTone::Info:
        return {ColorRole::Info, ColorRole::InfoTint, ColorRole::Info};
    case BannerTone::Warn:
        return {ColorRole::Warn, ColorRole::WarnTint, ColorRole::WarnBorder};
    case BannerTone::Bad:
        return {ColorRole::Bad, ColorRole::BadTint, ColorRole::BadBorder};
    }
    return {ColorRole::Info, ColorRole::InfoTint, ColorRole::Info};
}

} // namespace

Banner::Banner(QWidget* parent) : QFrame(parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 6, 10, 6);
    layout->setSpacing(12);
    m_icon = new Icon(QStringLiteral("info"), ColorRole::Info, 20, this);
    layout->addWidget(m_icon);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    m_title = makeLabel({}, TextRole::SmallTitle, this);
    m_detail = makeLabel({}, TextRole::Small, this);
    // Said once, not guessed from the text: escaped text without a tag would show its entities, and
    // a file's name is never markup.
    m_title->setTextFormat(Qt::PlainText);
    m_detail->setTextFormat(Qt::RichText);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_detail->setWordWrap(true);
    texts->addWidget(m_title);
    texts->addWidget(m_detail);
    layout->addLayout(texts, 1);
    m_actions = new QHBoxLayout;
    m_actions->setSpacing(8);
    layout->addLayout(m_actions);
}

void Banner::setContent(const BannerContent& content) {
    const bool keepsActions = content.key == m_content.key && content.tone == m_content.tone &&
                              content.actions.size() == m_content.actions.size();
    m_content = content;
    m_icon->setIcon(content.iconName, lookOf(content.tone).ink);
    m_title->setText(content.title);
    m_detail->setText(content.detail);
    m_detail->setVisible(!content.detail.isEmpty());
    setAccessibleName(content.title);
    setAccessibleDescription(QTextDocumentFragment::fromHtml(content.detail).toPlainText());
    update();
    if (keepsActions && !content.key.isEmpty() && m_actions->count() > 0) {
        return; // a progress text changes ten times a second; its buttons must stay clickable
    }
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const BannerAction& action : content.actions) {
        auto* button = makeButton(
            action.text, action.isPrimary ? ButtonKind::Primary : ButtonKind::Normal, this);
        connect(button, &QPushButton::clicked, this, action.run);
        m_actions->addWidget(button);
    }
    if (content.canClose) {
        auto* button = makeButton({}, ButtonKind::Quiet, this);
        button->setIcon(icon(QStringLiteral("cross")));
        button->setToolTip(tr("Close"));
        button->setAccessibleName(tr("Close"));
        connect(button, &QPushButton::clicked, this, [this] { Q_EMIT closed(m_content.key); });
        m_actions->addWidget(button);
    }
}

void Banner::paintEvent(QPaintEvent*) {
    const ToneLook look = lookOf(m_content.tone);
    QPainter painter(this);
    paintBox(painter, QRectF(rect()), color(look.tint), color(look.border), radius::kMenu);
}

} // namespace ui

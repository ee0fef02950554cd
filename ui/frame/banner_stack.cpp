#include "ui/frame/banner_stack.h"

#include "ui/theme.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

BannerStack::BannerStack(QWidget* parent) : QWidget(parent) {
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(8, 8, 8, 0);
    m_layout->setSpacing(6);
    for (std::size_t index = 0; index < kShown; ++index) {
        auto* banner = new Banner(this);
        connect(banner, &Banner::closed, this, &BannerStack::remove);
        m_layout->addWidget(banner);
        m_banners.push_back(banner);
    }
    m_rest = makeLabel({}, TextRole::Caption, this);
    m_layout->addWidget(m_rest);
    arrange();
}

void BannerStack::show(const BannerContent& content) {
    const auto same = std::ranges::find(m_contents, content.key, &BannerContent::key);
    if (same != m_contents.end()) {
        *same = content;
    } else {
        m_contents.push_back(content);
    }
    std::ranges::stable_sort(
        m_contents, [](const BannerContent& a, const BannerContent& b) { return a.tone > b.tone; });
    arrange();
}

void BannerStack::remove(const QString& key) {
    const auto removed =
        std::erase_if(m_contents, [&](const BannerContent& content) { return content.key == key; });
    if (removed > 0) {
        arrange();
    }
}

bool BannerStack::contains(const QString& key) const {
    return std::ranges::find(m_contents, key, &BannerContent::key) != m_contents.end();
}

void BannerStack::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        arrange();
    }
    QWidget::changeEvent(event);
}

void BannerStack::arrange() {
    for (std::size_t index = 0; index < kShown; ++index) {
        const bool isUsed = index < m_contents.size();
        if (isUsed) {
            m_banners[index]->setContent(m_contents[index]);
        }
        m_banners[index]->setVisible(isUsed);
    }
    const int rest = static_cast<int>(m_contents.size()) - static_cast<int>(kShown);
    m_rest->setVisible(rest > 0);
    m_rest->setText(tr("%n more message(s); Log has them all", nullptr, std::max(rest, 0)));
    setVisible(!m_contents.empty());
}

} // namespace ui

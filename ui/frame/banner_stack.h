// The banners under the strip: at most two are shown, the rest is counted; the gravest come first.
// UI thread.
#pragma once

#include "ui/widgets/banner.h"

#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace ui {

class BannerStack final : public QWidget {
    Q_OBJECT

public:
    explicit BannerStack(QWidget* parent = nullptr);
    void show(const BannerContent& content); // adds, or replaces the one of the same key
    void remove(const QString& key);
    bool contains(const QString& key) const;

protected:
    void changeEvent(QEvent* event) override;

private:
    static constexpr std::size_t kShown = 2;

    void arrange();

    std::vector<BannerContent> m_contents;
    std::vector<Banner*> m_banners;
    QVBoxLayout* m_layout;
    QLabel* m_rest;
};

} // namespace ui

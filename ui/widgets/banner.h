// One message across the window: what happened, what it means for the data, what to do. UI thread.
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace ui {

class Icon;

enum class BannerTone : std::uint8_t { Info, Warn, Bad };

struct BannerAction {
    QString text;
    std::function<void()> run;
    bool isPrimary = false;
};

struct BannerContent {
    QString key; // one banner a key; a later one replaces it
    BannerTone tone = BannerTone::Info;
    QString iconName;
    QString title;
    QString detail = {}; // rich text: whatever comes from outside is escaped
    std::vector<BannerAction> actions = {};
    bool canClose = false;
};

class Banner final : public QFrame {
    Q_OBJECT

public:
    explicit Banner(QWidget* parent = nullptr);
    void setContent(const BannerContent& content);
    const BannerContent& content() const { return m_content; }

Q_SIGNALS:
    void closed(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    BannerContent m_content;
    Icon* m_icon;
    QLabel* m_title;
    QLabel* m_detail;
    QHBoxLayout* m_actions;
};

} // namespace ui

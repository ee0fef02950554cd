#include "ui/widgets/card.h"

#include "ui/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace ui {

Card::Card(QWidget* parent) : QFrame(parent) {
    setSurface(this, Surface::Card);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::kInsideCard + 2, space::kInsideCard, space::kInsideCard + 2,
                               space::kInsideCard);
    column->setSpacing(8);
    m_headRow = new QWidget(this);
    m_head = new QHBoxLayout(m_headRow);
    m_head->setContentsMargins(0, 0, 0, 0);
    m_head->setSpacing(8);
    m_title = makeLabel({}, TextRole::CardTitle, m_headRow);
    m_caption = makeLabel({}, TextRole::Caption, m_headRow);
    m_head->addWidget(m_title);
    m_head->addWidget(m_caption);
    m_head->addStretch(1);
    m_headRow->hide();
    column->addWidget(m_headRow);
    m_body = new QVBoxLayout;
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(6);
    column->addLayout(m_body, 1);
}

void Card::setTitle(const QString& title, const QString& caption) {
    m_title->setText(title);
    m_caption->setText(caption);
    m_caption->setVisible(!caption.isEmpty());
    m_headRow->show();
    setAccessibleName(title);
}

void Card::setFlush() {
    layout()->setContentsMargins(1, 1, 1, 1);
    layout()->setSpacing(0);
}

QFrame* makeRule(QWidget* parent) {
    auto* rule = new QFrame(parent);
    setSheetProperty(rule, "rule", true);
    rule->setFixedHeight(1);
    return rule;
}

namespace {

class VerticalRule final : public QWidget {
public:
    explicit VerticalRule(QWidget* parent) : QWidget(parent) { setFixedWidth(1); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), color(ColorRole::Line));
    }
};

} // namespace

QWidget* makeVerticalRule(QWidget* parent) {
    return new VerticalRule(parent);
}

} // namespace ui

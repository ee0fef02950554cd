#include "ui/panels/start_parts.h"

#include "app/labels.h"
#include "app/observe/machine.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/step_badge.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kFacts = 4;
constexpr int kSteps = 4;

// A card that fills its owner.
Card* makeFilling(QWidget* owner) {
    auto* card = new Card(owner);
    auto* layout = new QVBoxLayout(owner);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(card);
    card->body()->setContentsMargins(6, 4, 6, 4);
    return card;
}

} // namespace

StartChoice::StartChoice(const QString& iconName, bool isFirst, QWidget* parent)
    : QWidget(parent),
      m_card(makeFilling(this)) {
    setSheetProperty(m_card, "lit", isFirst);
    auto* head = new QHBoxLayout;
    head->setSpacing(12);
    auto* picture = new QLabel(m_card);
    picture->setFixedSize(36, 36);
    picture->setAlignment(Qt::AlignCenter);
    picture->setPixmap(
        icon(iconName, isFirst ? ColorRole::Accent : ColorRole::Text2).pixmap(18, 18));
    setSheetProperty(picture, "badge",
                     isFirst ? QStringLiteral("accent") : QStringLiteral("neutral"));
    auto* names = new QVBoxLayout;
    names->setSpacing(1);
    m_title = makeLabel({}, TextRole::CardTitle, m_card);
    m_caption = makeLabel({}, TextRole::Muted, m_card);
    names->addWidget(m_title);
    names->addWidget(m_caption);
    head->addWidget(picture);
    head->addLayout(names, 1);
    m_text = makeLabel({}, TextRole::Small, m_card);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMinimumHeight(56);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_actions = new QHBoxLayout;
    m_actions->setSpacing(8);
    m_card->body()->setSpacing(10);
    m_card->body()->addLayout(head);
    m_card->body()->addWidget(m_text, 1);
    m_card->body()->addLayout(m_actions);
}

void StartChoice::setTitle(const QString& title) {
    m_title->setText(title);
    m_card->setAccessibleName(title);
}

void StartChoice::setCaption(const QString& caption) {
    m_caption->setText(caption);
}

void StartChoice::setText(const QString& text, bool isProblem) {
    m_text->setText(text);
    setSheetProperty(m_text, "tone", isProblem ? QStringLiteral("bad") : QString());
}

void StartChoice::addBelow(QWidget* widget) {
    m_card->body()->addWidget(widget);
}

StartSteps::StartSteps(QWidget* parent) : QWidget(parent) {
    Card* card = makeFilling(this);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::CardTitle, card);
    m_total = makeLabel({}, TextRole::Muted, card);
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_total);
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    for (int number = 1; number <= kSteps; ++number) {
        if (number > 1) {
            row->addWidget(makeVerticalRule(card));
        }
        auto* step = new QVBoxLayout;
        step->setSpacing(5);
        auto* top = new QHBoxLayout;
        top->setSpacing(8);
        auto* name = makeLabel({}, TextRole::CardTitle, card);
        auto* time = makeLabel({}, TextRole::Caption, card);
        auto* text = makeLabel({}, TextRole::Small, card);
        text->setWordWrap(true);
        text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        top->addWidget(new StepBadge(number, number == 1, card));
        top->addWidget(name);
        top->addStretch(1);
        top->addWidget(time);
        step->addLayout(top);
        step->addWidget(text, 1);
        row->addLayout(step, 1);
        m_steps.push_back({name, time, text});
    }
    card->body()->setSpacing(12);
    card->body()->addLayout(head);
    card->body()->addLayout(row);
    retranslate();
}

void StartSteps::retranslate() {
    m_title->setText(tr("From here to the first verdict"));
    m_total->setText(tr("about 5 minutes"));
    const QString texts[kSteps][3] = {
        {tr("Open"), tr("1 s"),
         tr("A model, above. Phases are timed apart: open, map, convert, warm-up.")},
        {tr("Send traffic"), tr("1 min"),
         tr("The demo workload: requests at random times, chat prompts.")},
        {tr("Flip a switch"), tr("1 click"),
         tr("For example batching or the token budget. The marker shows on every chart.")},
        {tr("Read the verdict"), tr("1 min"),
         tr("Record a second run and compare: better, worse or not resolved, with n.")}};
    for (std::size_t step = 0; step < m_steps.size(); ++step) {
        for (std::size_t part = 0; part < m_steps[step].size(); ++part) {
            m_steps[step][part]->setText(texts[step][part]);
        }
    }
}

void StartSteps::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

MachineFacts::MachineFacts(QString runLog, QWidget* parent)
    : QWidget(parent),
      m_runLog(std::move(runLog)) {
    Card* card = makeFilling(this);
    m_title = makeLabel({}, TextRole::CardTitle, card);
    card->body()->addWidget(m_title);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(5);
    for (int i = 0; i < kFacts; ++i) {
        auto* name = makeLabel({}, TextRole::Muted, card);
        auto* value = makeLabel({}, TextRole::Small, card);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        grid->addWidget(name, i / 2, i % 2 * 2);
        grid->addWidget(value, i / 2, i % 2 * 2 + 1);
        m_facts.emplace_back(name, value);
    }
    grid->setColumnStretch(1, 3);
    grid->setColumnStretch(3, 2);
    card->body()->addLayout(grid);
    refresh();
}

void MachineFacts::refresh() {
    const app::Machine machine = app::readMachine();
    const auto plain = [](const std::string& text) { return QString::fromStdString(text); };
    m_title->setText(tr("This machine"));
    const QString threads = tr("%n threads", nullptr, machine.threads);
    const std::array<std::pair<QString, QString>, kFacts> facts = {{
        {tr("Processor"), machine.instructionSets.empty()
                              ? threads
                              : threads + QStringLiteral(", ") + plain(machine.instructionSets)},
        {tr("Memory"),
         tr("%1, %2 free")
             .arg(app::bytesText(machine.memoryBytes), app::bytesText(machine.availableBytes))},
        {tr("GPU"), machine.gpu.empty() ? tr("none found; none is needed") : plain(machine.gpu)},
        {tr("Run log"), m_runLog},
    }};
    for (std::size_t i = 0; i < facts.size(); ++i) {
        m_facts[i].first->setText(facts[i].first);
        m_facts[i].second->setText(facts[i].second);
    }
    m_facts[0].second->setToolTip(plain(machine.processor));
}

void MachineFacts::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
    }
}

} // namespace ui

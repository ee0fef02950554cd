#include "ui/panels/start_parts.h"

#include "app/labels.h"
#include "app/observe/machine.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/step_badge.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
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
        auto* name = makeButton({}, ButtonKind::Quiet, card);
        setSheetProperty(name, "step", true);
        connect(name, &QPushButton::clicked, this, [this, number] { Q_EMIT chosen(number); });
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
         tr("For example batching or precision. The marker shows on every chart.")},
        {tr("Read the verdict"), tr("3 min"),
         tr("An experiment takes turns, A-B-A-B, warm-up left out: better, worse or not "
            "resolved, with n.")}};
    for (std::size_t step = 0; step < m_steps.size(); ++step) {
        m_steps[step].name->setText(texts[step][0]);
        m_steps[step].time->setText(texts[step][1]);
        m_steps[step].text->setText(texts[step][2]);
    }
}

void StartSteps::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

namespace {

// Blocks that take turns: what the example's experiment looks like.
class TurnsPicture final : public QWidget {
public:
    explicit TurnsPicture(QWidget* parent) : QWidget(parent) { setFixedSize(264, 96); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        constexpr double kGap = 8.0, kHead = 18.0, kWarmUp = 10.0;
        const double wide = (width() - 3 * kGap) / 4.0;
        const double bottom = height() - 4.0;
        for (int block = 0; block < 4; ++block) {
            const bool isB = block % 2 == 1;
            const ColorRole role = isB ? ColorRole::SideB : ColorRole::SideA;
            const QRectF area(block * (wide + kGap), kHead, wide, bottom - kHead);
            painter.fillRect(area, color(role, 0.12));
            painter.fillRect(QRectF(area.left(), area.top(), kWarmUp, area.height()),
                             color(ColorRole::Text3, 0.25));
            paintText(painter, QRectF(area.left(), 0, wide, kHead),
                      isB ? QStringLiteral("B") : QStringLiteral("A"),
                      ui::font(type::kCaption, QFont::DemiBold), color(role), Qt::AlignCenter);
            const double level = area.top() + area.height() * (isB ? 0.18 : 0.52);
            painter.setPen(QPen(color(role), 2.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPolyline(QPolygonF({{area.left() + kWarmUp + 1, level + 5},
                                            {area.left() + kWarmUp + 7, level - 3},
                                            {area.left() + 0.65 * wide, level + (isB ? -3 : 1)},
                                            {area.right() - 1, level + (isB ? 2 : 4)}}));
        }
        painter.fillRect(QRectF(0, bottom, width(), 1), color(ColorRole::Axis));
    }
};

} // namespace

StartExample::StartExample(QWidget* parent) : QWidget(parent) {
    Card* card = makeFilling(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(24);
    line->addWidget(new TurnsPicture(card));
    auto* column = new QVBoxLayout;
    column->setSpacing(6);
    m_title = makeLabel({}, TextRole::CardTitle, card);
    m_text = makeLabel({}, TextRole::Small, card);
    m_text->setWordWrap(true);
    m_open = makeButton({}, ButtonKind::Normal, card);
    column->addStretch(1);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addWidget(m_open, 0, Qt::AlignLeft);
    column->addStretch(1);
    line->addLayout(column, 1);
    card->body()->addLayout(line, 1);
    connect(m_open, &QPushButton::clicked, this, &StartExample::requested);
    retranslate();
}

void StartExample::retranslate() {
    m_title->setText(tr("Look around first"));
    m_text->setText(tr("A recorded example run opens without a model: charts, events, an "
                       "experiment and its report."));
    m_open->setText(tr("Open the example run"));
}

void StartExample::changeEvent(QEvent* event) {
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
        value->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        grid->addWidget(name, i, 0);
        grid->addWidget(value, i, 1);
        m_facts.emplace_back(name, value);
    }
    grid->setColumnStretch(1, 1);
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
        m_facts[i].second->setToolTip(facts[i].second);
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

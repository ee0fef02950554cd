#include "ui/panels/playground.h"

#include "app/labels.h"
#include "app/observe/request_row.h"
#include "app/session.h"
#include "ui/icons.h"
#include "ui/panels/sampling_form.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/key_button.h"
#include "ui/widgets/prompt_edit.h"
#include "ui/widgets/toggle_switch.h"
#include "ui/widgets/waterfall.h"

#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kBadgeWidth = 58;
constexpr int kRepaintMs = 33;
constexpr int kFeedMs = 100; // pieces of a prompt that is typed
constexpr qsizetype kMostShown = 16'000;

QLabel* makeTurnText(QWidget* parent) {
    auto* label = makeLabel({}, TextRole::Body, parent);
    label->setWordWrap(true);
    label->setMinimumWidth(1); // a word longer than the line is cut, and pushes nothing aside
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    return label;
}

// Lines 1.35 high, whatever fonts the text falls back to, and spaces as the model wrote them.
QString asRichText(const QString& text, bool isStreaming) {
    const QString caret = isStreaming
                              ? QStringLiteral("<span style=\"background-color:%1\">&nbsp;</span>")
                                    .arg(color(ColorRole::Accent).name())
                              : QString();
    return QStringLiteral("<p style=\"line-height:135%; margin:0; white-space:pre-wrap\">") +
           text.toHtmlEscaped() + caret + QStringLiteral("</p>");
}

// A label lays out all it holds, in the turn that shows it: of a prompt of megabytes the ends.
QString shortened(const QString& text) {
    if (text.size() <= kMostShown) {
        return text;
    }
    const QString gap = QCoreApplication::translate("Playground", "%1 characters are not shown")
                            .arg(app::numberText(static_cast<double>(text.size() - kMostShown)));
    return text.first(kMostShown / 2) + QStringLiteral("\n… ") + gap + QStringLiteral(" …\n") +
           text.last(kMostShown / 2);
}

} // namespace

Playground::Playground(app::Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session) {
    setSurface(this, Surface::Panel);
    setSheetProperty(this, "edge", QStringLiteral("left"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 0, 0);
    column->setSpacing(0);
    buildHead(column);
    buildConversation(column);
    buildComposer(column);
    m_repaint = new QTimer(this);
    m_repaint->setSingleShot(true);
    m_repaint->setInterval(kRepaintMs);
    connect(m_repaint, &QTimer::timeout, this, &Playground::showAnswer);
    auto* stop = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    stop->setContext(Qt::WidgetWithChildrenShortcut);
    connect(stop, &QShortcut::activated, this, &Playground::stop);
    connect(&m_session, &app::Session::modelChanged, this, &Playground::refreshModel);
    connect(&m_session, &app::Session::eventHappened, this, [this](const engine::Event& event) {
        const auto* notice = std::get_if<engine::Notice>(&event.body);
        if (notice != nullptr && notice->kind.starts_with("adapter_")) {
            refreshAdapters();
        }
    });
    retranslate();
    refreshModel();
    startAnew();
}

void Playground::buildHead(QVBoxLayout* column) {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 8, 8, 8);
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::CardTitle, this);
    m_format = new Tag({}, Tone::Neutral, this);
    m_samplingTag = new Tag({}, Tone::Neutral, this);
    m_samplingButton = makeButton({}, ButtonKind::Quiet, this);
    m_samplingButton->setIcon(icon(QStringLiteral("sliders")));
    m_samplingButton->setCheckable(true);
    m_new = makeButton({}, ButtonKind::Quiet, this);
    m_new->setIcon(icon(QStringLiteral("plus")));
    m_new->setFixedSize(28, 28);
    head->addWidget(m_title);
    head->addWidget(m_format);
    head->addWidget(m_samplingTag);
    head->addStretch(1);
    head->addWidget(m_samplingButton);
    head->addWidget(m_new);
    column->addLayout(head);
    column->addWidget(makeRule(this));
    m_sampling = new SamplingForm(this);
    m_sampling->setContentsMargins(16, 10, 16, 10);
    m_sampling->hide();
    column->addWidget(m_sampling);
    connect(m_samplingButton, &QPushButton::toggled, m_sampling, &QWidget::setVisible);
    connect(m_sampling, &SamplingForm::changed, this, [this] {
        m_samplingTag->setText(m_sampling->summary());
        m_feedTimer->start(); // perhaps it is another system prompt
    });
    connect(m_new, &QPushButton::clicked, this, &Playground::startAnew);
}

void Playground::buildConversation(QVBoxLayout* column) {
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(m_scroll);
    setSurface(content, Surface::Panel);
    auto* list = new QVBoxLayout(content);
    list->setContentsMargins(16, 12, 16, 12);
    list->setSpacing(12);
    m_hint = makeLabel({}, TextRole::Muted, content);
    m_hint->setWordWrap(true);
    list->addWidget(m_hint);
    m_turnList = new QVBoxLayout;
    m_turnList->setSpacing(12);
    list->addLayout(m_turnList);
    m_figures = makeLabel({}, TextRole::Small, content);
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setContentsMargins(kBadgeWidth + 2, 0, 0, 0);
    m_figures->setWordWrap(true);
    list->addWidget(m_figures);
    m_ledgerCard = new Card(content);
    m_waterfall = new Waterfall(m_ledgerCard);
    m_waterfall->setCompact(true);
    m_ledgerCard->body()->addWidget(m_waterfall);
    m_ledgerCard->body()->addWidget(makeRule(m_ledgerCard));
    auto* total = new QHBoxLayout;
    m_totalName = makeLabel({}, TextRole::Small, m_ledgerCard);
    m_total = makeLabel({}, TextRole::Small, m_ledgerCard);
    total->addWidget(m_totalName);
    total->addStretch(1);
    total->addWidget(m_total);
    m_ledgerCard->body()->addLayout(total);
    list->addWidget(m_ledgerCard);
    list->addStretch(1);
    m_scroll->setWidget(content);
    column->addWidget(m_scroll, 1);
}

void Playground::buildComposer(QVBoxLayout* column) {
    auto* composer = new QVBoxLayout;
    composer->setContentsMargins(16, 8, 16, 12);
    composer->setSpacing(8);
    m_prompt = new PromptEdit(this);
    composer->addWidget(m_prompt);
    m_feedState = makeLabel({}, TextRole::Caption, this);
    m_feedState->hide();
    composer->addWidget(m_feedState);
    m_pasteNote = makeLabel({}, TextRole::Small, this);
    m_pasteNote->setObjectName(QStringLiteral("pasteNote"));
    m_pasteNote->setWordWrap(true);
    m_pasteNote->hide();
    composer->addWidget(m_pasteNote);
    connect(m_prompt, &PromptEdit::pasteRefused, m_pasteNote, &QLabel::setText);
    connect(m_prompt, &PromptEdit::pasteRefused, m_pasteNote, &QWidget::show);
    connect(m_prompt, &QPlainTextEdit::textChanged, m_pasteNote, &QWidget::hide);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    m_stop = makeButton({}, ButtonKind::Normal, this);
    m_stop->setIcon(icon(QStringLiteral("stop")));
    m_send = new KeyButton(ButtonKind::Primary, QStringLiteral("Ctrl ⏎"), this);
    m_send->setIcon(icon(QStringLiteral("send"), ColorRole::OnAccent));
    m_feed = new ToggleSwitch(this);
    m_feedName = makeLabel({}, TextRole::Small, this);
    m_feedName->setBuddy(m_feed);
    m_feedTimer = new QTimer(this);
    m_feedTimer->setSingleShot(true);
    m_feedTimer->setInterval(kFeedMs);
    connect(m_feedTimer, &QTimer::timeout, this, &Playground::feed);
    connect(m_feed, &QAbstractButton::toggled, this, [this](bool isOn) {
        if (isOn) {
            feed();
        } else {
            dropFeed();
        }
        showFeed();
    });
    connect(m_prompt, &QPlainTextEdit::textChanged, this, [this] {
        if (m_feed->isChecked() && !m_feedTimer->isActive()) {
            m_feedTimer->start();
        }
    });
    buttons->addWidget(m_feed);
    buttons->addWidget(m_feedName);
    buttons->addStretch(1);
    buttons->addWidget(m_stop);
    buttons->addWidget(m_send);
    composer->addLayout(buttons);
    column->addLayout(composer);
    connect(m_prompt, &PromptEdit::sendRequested, this, &Playground::send);
    connect(m_prompt, &PromptEdit::stopRequested, this, &Playground::stop);
    connect(m_prompt, &QPlainTextEdit::textChanged, this, &Playground::refreshModel);
    connect(m_send, &QPushButton::clicked, this, &Playground::send);
    connect(m_stop, &QPushButton::clicked, this, &Playground::stop);
}

Playground::Turn& Playground::addTurn(const char* role, const QString& text) {
    const bool isAnswer = std::string_view(role) == "assistant";
    auto* line = new QWidget(m_scroll->widget());
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    auto* who =
        new Tag(isAnswer ? tr("Answer") : tr("You"), isAnswer ? Tone::Accent : Tone::Neutral, line);
    auto* badge = new QWidget(line);
    badge->setFixedWidth(kBadgeWidth);
    auto* badgeLayout = new QVBoxLayout(badge);
    badgeLayout->setContentsMargins(0, 0, 0, 0);
    badgeLayout->addWidget(who, 0, Qt::AlignLeft);
    badgeLayout->addStretch(1);
    auto* label = makeTurnText(line);
    label->setText(asRichText(shortened(text), false));
    layout->addWidget(badge);
    layout->addWidget(label, 1);
    m_turnList->addWidget(line);
    m_turns.push_back(
        {.message = {.role = role, .content = text.toStdString()}, .text = label, .who = who});
    return m_turns.back();
}

void Playground::send() {
    const QString text = m_prompt->toPlainText().trimmed();
    if (text.isEmpty() || isStreaming() || !m_session.hasModel()) {
        return;
    }
    const engine::TimePoint sent = engine::Clock::now();
    const engine::Request around = opening();
    addTurn("user", text);
    engine::Request request = makeRequest();
    request.scheduled = sent;
    std::shared_ptr<engine::TokenStream> stream;
    if (m_feed->isChecked() && m_session.hasModel()) {
        stream = m_feeder.complete(
            *m_session.backend(), around, text.toStdString(),
            {.maxTokens = request.maxTokens, .sampling = request.sampling, .scheduled = sent});
    }
    m_wasFed = stream != nullptr;
    if (stream == nullptr) {
        stream = m_session.submit(std::move(request));
    }
    if (stream == nullptr) {
        return;
    }
    delete m_plain;
    m_plain = nullptr;
    m_prompt->clear();
    m_hint->hide();
    addTurn("assistant", {});
    delete m_answer;
    m_answer = new app::AnswerStream(std::move(stream), sent, this);
    m_waterfall->setLedger(std::nullopt);
    m_ledgerCard->hide();
    connect(m_answer, &app::AnswerStream::arrived, this, [this] {
        if (!m_repaint->isActive()) {
            m_repaint->start();
        }
    });
    connect(m_answer, &app::AnswerStream::finished, this, &Playground::finishAnswer);
    showAnswer();
    refreshModel();
}

void Playground::stop() {
    if (isStreaming()) {
        m_session.cancel(m_answer->id());
    }
}

void Playground::startAnew() {
    stop();
    dropFeed();
    delete m_plain;
    m_plain = nullptr;
    delete m_answer;
    m_answer = nullptr;
    m_turns.clear();
    while (QLayoutItem* item = m_turnList->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    m_figures->hide();
    m_ledgerCard->hide();
    m_hint->show();
    refreshModel();
}

void Playground::showAnswer() {
    if (m_answer == nullptr || m_turns.empty()) {
        return;
    }
    QScrollBar* bar = m_scroll->verticalScrollBar();
    const bool isAtEnd = bar->value() >= bar->maximum() - 4;
    QLabel* label = m_turns.back().text;
    const bool isOver = m_answer->isFinished();
    label->setText(asRichText(m_answer->text(), !isOver));
    showFigures();
    if (isAtEnd) {
        QTimer::singleShot(0, bar, [bar] { bar->setValue(bar->maximum()); });
    }
}

// Of what was never answered: the text goes back where it was written, and later messages are not
// refused for its sake.
void Playground::takeBack() {
    Turn& asked = m_turns[m_turns.size() - 2];
    m_turns.back().isSaid = false;
    asked.isSaid = false;
    if (m_prompt->toPlainText().isEmpty()) {
        m_prompt->setPlainText(QString::fromStdString(asked.message.content));
    }
}

void Playground::finishAnswer() {
    m_repaint->stop(); // a picture of what has come so far would wipe out why it ended
    showAnswer();
    Turn& turn = m_turns.back();
    turn.message.content = m_answer->text().toStdString();
    const auto reason = m_answer->reason();
    const QString message = app::sentenceLabel(m_answer->message().toStdString());
    const bool isCompleted = reason && engine::outcome(*reason) == engine::Outcome::Completed;
    if (reason && (!isCompleted || !message.isEmpty())) {
        const QString why = app::finishLabel(*reason);
        const QString note = message.isEmpty() ? why : why + QStringLiteral(": ") + message;
        const QString text =
            m_answer->text().isEmpty() ? note : m_answer->text() + QStringLiteral("\n\n— ") + note;
        turn.text->setText(asRichText(text, false));
        const bool isWanted = isCompleted || engine::outcome(*reason) == engine::Outcome::Cancelled;
        turn.who->setTone(isWanted ? Tone::Neutral : Tone::Bad);
        if (m_answer->text().isEmpty()) {
            takeBack();
        }
    }
    if (const auto record = m_answer->record()) {
        const auto ledger = app::ledgerView(app::requestRow(*record, engine::TimePoint{}));
        m_waterfall->setLedger(ledger);
        m_ledgerCard->setVisible(ledger.has_value());
        if (ledger) {
            m_total->setText(QStringLiteral("<b>") +
                             app::numberText(ledger->shownTotalMs, ledger->decimals) +
                             QStringLiteral("</b>"));
        }
    }
    if (m_wasFed && reason && engine::outcome(*reason) == engine::Outcome::Completed) {
        measureWithout();
    }
    refreshModel();
    feed(); // what was typed meanwhile
    QTimer::singleShot(0, m_scroll,
                       [bar = m_scroll->verticalScrollBar()] { bar->setValue(bar->maximum()); });
}

QString Playground::lastAnswer() const {
    return m_answer == nullptr ? QString() : m_answer->text();
}

void Playground::refreshModel() {
    refreshAdapters();
    const bool hasModel = m_session.hasModel();
    const QString format =
        hasModel ? QString::fromStdString(m_session.capabilities().chatFormat) : QString();
    m_format->setText(format == QLatin1String("none") ? tr("no chat format") : format);
    m_format->setVisible(!format.isEmpty());
    m_prompt->setEnabled(hasModel);
    m_prompt->setPlaceholderText(hasModel ? tr("Ask the model something")
                                          : tr("Open a model to try it here"));
    m_stop->setEnabled(isStreaming());
    m_send->setEnabled(hasModel && !isStreaming() && !m_prompt->document()->isEmpty());
}

void Playground::retranslate() {
    m_title->setText(tr("Playground"));
    m_samplingTag->setText(m_sampling->summary());
    m_samplingButton->setText(tr("Sampling"));
    m_new->setToolTip(tr("New conversation"));
    m_new->setAccessibleName(tr("New conversation"));
    m_hint->setText(tr("What you send here runs beside the load, is measured like any request, and "
                       "carries the tag “playground”."));
    m_ledgerCard->setTitle(tr("First token of this answer"), tr("ms from Send"));
    m_totalName->setText(tr("Total after Send"));
    m_prompt->setAccessibleName(tr("Prompt"));
    m_feedName->setText(tr("Feed while typing"));
    m_feed->setAccessibleName(m_feedName->text());
    m_feed->setToolTip(tr("Let the engine compute the prompt while you type it, and compare the "
                          "time to the first token with and without"));
    m_stop->setText(tr("Stop"));
    m_stop->setToolTip(tr("Stop the answer (Esc)"));
    m_send->setText(tr("Send"));
    m_send->setToolTip(tr("Send (Ctrl+Enter)"));
    for (const Turn& turn : m_turns) {
        turn.who->setText(turn.message.role == "assistant" ? tr("Answer") : tr("You"));
    }
}

void Playground::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refreshModel();
    }
}

} // namespace ui

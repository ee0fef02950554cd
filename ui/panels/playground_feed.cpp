// What the playground asks: its request, the prompt while it is typed, and the figures of the
// answer with and without that.
#include "app/labels.h"
#include "app/session.h"
#include "engine/adapters.h"
#include "ui/panels/playground.h"
#include "ui/panels/sampling_form.h"
#include "ui/widgets/prompt_edit.h"
#include "ui/widgets/toggle_switch.h"

#include <QLabel>
#include <QPushButton>
#include <QTimer>

namespace ui {

engine::Request Playground::makeRequest() const {
    engine::Request request;
    std::vector<engine::ChatMessage> messages;
    const QString system = m_sampling->systemPrompt();
    if (!system.isEmpty()) {
        messages.push_back({.role = "system", .content = system.toStdString()});
    }
    for (const Turn& turn : m_turns) {
        if (turn.isSaid) {
            messages.push_back(turn.message);
        }
    }
    const std::string format = m_session.capabilities().chatFormat;
    if (format.empty() || format == "none") {
        // A model without a chat format goes on writing what it is given.
        request.prompt = m_turns.back().message.content;
    } else {
        request.prompt = std::move(messages);
    }
    request.maxTokens = m_sampling->maxTokens();
    request.sampling = m_sampling->sampling();
    request.adapter = m_sampling->adapter().toStdString();
    request.label = "playground";
    return request;
}

void Playground::refreshAdapters() {
    QStringList names;
    engine::Adapters* adapters = m_session.hasModel() ? m_session.backend()->adapters() : nullptr;
    if (adapters != nullptr) {
        for (const engine::AdapterInfo& info : adapters->adapterStatus().loaded) {
            names << QString::fromStdString(info.name);
        }
    }
    m_sampling->setAdapters(names);
}

// What is around the text that is being typed.
engine::Request Playground::opening() {
    m_turns.push_back(
        {.message = {.role = "user", .content = {}}, .text = nullptr, .who = nullptr});
    engine::Request request = makeRequest();
    m_turns.pop_back();
    return request;
}

// The prompt as it stands, for the engine to compute beforehand.
void Playground::feed() {
    if (!m_feed->isChecked() || isStreaming() || !m_session.hasModel()) {
        return;
    }
    m_feeder.follow(*m_session.backend(), opening(),
                    m_prompt->toPlainText().trimmed().toStdString());
    showFeed();
}

// While a draft is with the engine: that it is, and until when it is kept.
void Playground::showFeed() {
    const bool isOpen = m_feed->isChecked() && m_feeder.isOpen();
    m_feedState->setVisible(isOpen);
    if (isOpen) {
        const auto kept = static_cast<double>(m_session.config().effective.streamTtlMs) / 1000.0;
        m_feedState->setText(tr("%n character(s) handed over while you type · kept for %1 s",
                                nullptr, static_cast<int>(m_prompt->toPlainText().trimmed().size()))
                                 .arg(app::numberText(kept)));
    }
}

void Playground::dropFeed() {
    m_feedTimer->stop();
    if (m_session.hasModel()) {
        m_feeder.cancel(*m_session.backend());
    } else {
        m_feeder.drop();
    }
}

// The same prompt once more, whole and for a tenant of its own, so that nothing of it is known:
// what the first token would have taken without feeding.
void Playground::measureWithout() {
    const Turn answer = m_turns.back();
    m_turns.pop_back();
    engine::Request request = makeRequest();
    m_turns.push_back(answer);
    request.maxTokens = 1;
    request.ignoreEnd = true;
    request.tenant = "playground without feeding " + std::to_string(++m_plainNumber);
    const engine::TimePoint sent = engine::Clock::now();
    request.scheduled = sent;
    auto stream = m_session.submit(std::move(request));
    if (stream == nullptr) {
        return;
    }
    m_plain = new app::AnswerStream(std::move(stream), sent, this);
    connect(m_plain, &app::AnswerStream::finished, this, &Playground::showFigures);
}

void Playground::showFigures() {
    const app::AnswerFigures figures = m_answer->figures();
    const auto item = [](const QString& name, const QString& value,
                         const QString& unit) -> QString {
        return name + QStringLiteral(" <b>") + value + (unit.isEmpty() ? QString() : u' ' + unit) +
               QStringLiteral("</b>");
    };
    QStringList items{
        item(QStringLiteral("TTFT"), app::millisecondsText(figures.ttftMs), QStringLiteral("ms")),
        item(QStringLiteral("TPOT"), app::millisecondsText(figures.tpotMs), QStringLiteral("ms")),
        item(tr("tokens"), app::numberText(static_cast<double>(figures.tokens)), {}),
        item(tr("rate"), app::numberText(figures.tokensPerSecond), tr("tok/s"))};
    if (const auto record = m_answer->isFinished() ? m_answer->record() : nullptr) {
        const auto hits = static_cast<double>(record->hitTokens);
        items << item(tr("hits"),
                      tr("%1 of %2")
                          .arg(app::numberText(hits),
                               app::numberText(static_cast<double>(record->promptTokens))),
                      tr("tok"));
        if (m_wasFed) {
            items << item(tr("fed"), app::numberText(static_cast<double>(record->streamedTokens)),
                          tr("tok"));
        }
    }
    if (m_plain != nullptr && m_plain->isFinished()) {
        items << item(tr("TTFT without feeding"), app::millisecondsText(m_plain->figures().ttftMs),
                      QStringLiteral("ms"));
    }
    m_figures->setText(items.join(QStringLiteral(" &nbsp;")));
    m_figures->show();
}

} // namespace ui

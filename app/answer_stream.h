// The Qt face of one answer: text as it arrives, then the record. Main thread; the engine's thread
// only queues a wake-up, at most one at a time.
#pragma once

#include "engine/events.h"
#include "engine/request.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace app {

// What is known of an answer while it runs and after it. Before the end times are taken here, from
// `sent` to the arrival of text; afterwards the engine's own stamps replace them.
struct AnswerFigures {
    std::int64_t tokens = 0;
    std::optional<double> ttftMs, tpotMs, tokensPerSecond;
    bool isFinal = false;
};

class AnswerStream final : public QObject {
    Q_OBJECT

public:
    // `sent` is when the operator asked.
    AnswerStream(std::shared_ptr<engine::TokenStream> stream, engine::TimePoint sent,
                 QObject* parent = nullptr);
    ~AnswerStream() override;

    engine::RequestId id() const { return m_stream->id(); }
    const QString& text() const { return m_text; }
    bool isFinished() const { return m_isFinished; }
    std::optional<engine::FinishReason> reason() const { return m_stream->finishReason(); }
    QString message() const; // why it was refused or failed
    std::shared_ptr<const engine::RequestRecord> record() const { return m_stream->record(); }
    AnswerFigures figures() const;

Q_SIGNALS:
    void arrived();  // text() or figures() changed
    void finished(); // after the last arrived()

private:
    struct Bell;
    void take();

    std::shared_ptr<engine::TokenStream> m_stream;
    std::shared_ptr<Bell> m_bell;
    engine::TimePoint m_sent;
    std::optional<engine::TimePoint> m_first, m_last;
    std::int64_t m_tokens = 0;
    std::int64_t m_firstTokens = 0; // that came with the first text
    QString m_text;
    bool m_isFinished = false;
};

} // namespace app

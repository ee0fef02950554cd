#include "app/answer_stream.h"

#include <QMetaObject>

#include <atomic>
#include <mutex>

namespace app {

// Shared with the engine's thread: may ring after the stream's face is gone.
struct AnswerStream::Bell {
    std::mutex mutex;
    AnswerStream* owner = nullptr; // cleared under the mutex before the owner goes
    bool isRinging = false;

    static void ring(const std::shared_ptr<Bell>& bell) {
        const std::lock_guard lock(bell->mutex);
        if (bell->owner == nullptr || bell->isRinging) {
            return;
        }
        bell->isRinging = true;
        QMetaObject::invokeMethod(
            bell->owner, [owner = bell->owner] { owner->take(); }, Qt::QueuedConnection);
    }
};

AnswerStream::AnswerStream(std::shared_ptr<engine::TokenStream> stream, engine::TimePoint sent,
                           QObject* parent)
    : QObject(parent),
      m_stream(std::move(stream)),
      m_bell(std::make_shared<Bell>()),
      m_sent(sent) {
    m_bell->owner = this;
    m_stream->onReady([bell = m_bell] { Bell::ring(bell); });
}

AnswerStream::~AnswerStream() {
    const std::lock_guard lock(m_bell->mutex);
    m_bell->owner = nullptr;
}

void AnswerStream::take() {
    {
        const std::lock_guard lock(m_bell->mutex);
        m_bell->isRinging = false;
    }
    if (m_isFinished) {
        return;
    }
    const auto chunk = m_stream->waitNext(std::chrono::milliseconds(0));
    if (chunk) {
        const engine::TimePoint now = engine::Clock::now();
        m_tokens += static_cast<std::int64_t>(chunk->ids.size());
        m_text += QString::fromUtf8(chunk->text.data(), static_cast<qsizetype>(chunk->text.size()));
        if (!chunk->text.empty() && !m_first) {
            m_first = now;
            m_firstTokens = m_tokens;
        }
        if (!chunk->ids.empty()) {
            m_last = now;
        }
    }
    m_isFinished = !chunk || m_stream->isFinished();
    if (m_isFinished && chunk) {
        // Finished between the two calls: the rest is there already.
        if (const auto rest = m_stream->waitNext(std::chrono::milliseconds(0))) {
            m_tokens += static_cast<std::int64_t>(rest->ids.size());
            m_text +=
                QString::fromUtf8(rest->text.data(), static_cast<qsizetype>(rest->text.size()));
        }
    }
    Q_EMIT arrived();
    if (m_isFinished) {
        Q_EMIT finished();
    }
}

QString AnswerStream::message() const {
    return QString::fromStdString(m_stream->message());
}

AnswerFigures AnswerStream::figures() const {
    AnswerFigures figures;
    figures.tokens = m_tokens;
    const auto milliseconds = [](auto span) {
        return std::chrono::duration<double, std::milli>(span).count();
    };
    if (const auto ended = m_isFinished ? m_stream->record() : nullptr) {
        figures.isFinal = true;
        figures.tokens = ended->outputTokens;
        if (const auto ttft = ended->ttft()) {
            figures.ttftMs = milliseconds(*ttft);
        }
        if (const auto tpot = ended->tpot()) {
            figures.tpotMs = milliseconds(*tpot);
        }
    } else if (m_first) {
        figures.ttftMs = milliseconds(*m_first - m_sent);
        if (m_tokens > m_firstTokens && m_last && *m_last > *m_first) {
            figures.tpotMs =
                milliseconds(*m_last - *m_first) / static_cast<double>(m_tokens - m_firstTokens);
        }
    }
    if (figures.tpotMs && *figures.tpotMs > 0.0) {
        figures.tokensPerSecond = 1000.0 / *figures.tpotMs;
    }
    return figures;
}

} // namespace app

#include "app/api/api_answer.h"

#include "app/api/answer_json.h"
#include "app/api/http_reply.h"

#include <nlohmann/json.hpp>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// How a request that was not answered is told.
HttpResponse refusalOf(engine::FinishReason reason, const std::string& message,
                       const engine::Snapshot& figures) {
    const auto error = [&](int status, const char* type, const char* code,
                           HttpHeaders headers = {}) {
        return HttpResponse{.status = status,
                            .body = httpErrorBody(message, type, code),
                            .headers = std::move(headers)};
    };
    switch (reason) {
    case engine::FinishReason::TooLong:
        return error(400, "invalid_request_error", "context_length_exceeded");
    case engine::FinishReason::Overloaded:
        return error(429, "rate_limit_error", "overloaded",
                     {{"Retry-After", std::to_string(retrySeconds(figures))}});
    case engine::FinishReason::Rejected:
        return figures.state == engine::EngineState::Failed
                   ? error(503, "server_error", "engine_failed")
                   : error(400, "invalid_request_error", "rejected");
    case engine::FinishReason::Deadline:
        return error(504, "server_error", "deadline_exceeded", {{"x-should-retry", "false"}});
    case engine::FinishReason::Cancelled:
        return error(503, "server_error", "cancelled");
    default:
        return error(500, "server_error", "failed", {{"x-should-retry", "false"}});
    }
}

class AnswerRelay : public std::enable_shared_from_this<AnswerRelay> {
public:
    AnswerRelay(std::shared_ptr<ApiState> state, std::shared_ptr<HttpExchange> exchange,
                std::shared_ptr<engine::TokenStream> stream, AnswerForm form)
        : m_state(std::move(state)),
          m_exchange(std::move(exchange)),
          m_stream(std::move(stream)),
          m_form(std::move(form)),
          m_frames(m_form, m_stream->id(), *m_state) {}

    void start() {
        m_exchange->onGone([self = shared_from_this()] {
            self->m_isOver = true;
            self->m_state->cancel(self->m_stream->id());
        });
        m_exchange->onDrained([self = shared_from_this()] { self->pump(); });
        m_stream->onReady(m_exchange->waker([self = shared_from_this()] { self->pump(); }));
    }

private:
    void pump() {
        while (!m_isOver && !(m_form.isStreamed && m_exchange->isWriting())) {
            const auto chunk = m_stream->waitNext(std::chrono::milliseconds(0));
            if (!chunk) {
                m_isOver = true;
                finish();
                return;
            }
            if (chunk->text.empty() && chunk->ids.empty()) {
                return; // the stream rings again
            }
            take(*chunk);
        }
    }

    void take(const engine::TokenStream::Chunk& chunk) {
        if (!m_form.isStreamed) {
            m_frames.keep(chunk);
            return;
        }
        if (chunk.text.empty() && chunk.logprobs.empty()) {
            return; // a token without text yet
        }
        begin();
        m_exchange->write(event(m_frames.piece(chunk)));
    }

    static std::string event(const Json& json) { return "data: " + dumped(json) + "\n\n"; }

    // The head goes out with the first text, so that a refusal still has its own status.
    void begin() {
        if (m_hasBegun) {
            return;
        }
        m_hasBegun = true;
        HttpResponse head{.contentType = "text/event-stream; charset=utf-8",
                          .headers = m_form.headers};
        head.headers.emplace_back("X-Accel-Buffering", "no");
        m_exchange->beginStream(std::move(head));
        if (const auto first = m_frames.first()) {
            m_exchange->write(event(*first));
        }
    }

    void finish() {
        const auto reason = m_stream->finishReason().value_or(engine::FinishReason::Failed);
        const bool isCompleted = engine::outcome(reason) == engine::Outcome::Completed;
        if (!isCompleted && !m_hasBegun) {
            HttpResponse response = refusalOf(reason, m_stream->message(), m_state->figures());
            response.headers.insert(response.headers.end(), m_form.headers.begin(),
                                    m_form.headers.end());
            m_exchange->respond(std::move(response));
            return;
        }
        const auto record = m_stream->record();
        if (!m_form.isStreamed) {
            m_exchange->respond(
                {.body = dumped(m_frames.whole(reason, record.get())), .headers = m_form.headers});
            return;
        }
        begin();
        if (isCompleted) {
            m_exchange->write(event(m_frames.last(reason, record.get())));
        } else {
            const HttpResponse refusal = refusalOf(reason, m_stream->message(), m_state->figures());
            m_exchange->write("data: " + refusal.body + "\n\n");
        }
        if (m_form.wantsUsage) {
            m_exchange->write(event(m_frames.usage(record.get())));
        }
        m_exchange->write("data: [DONE]\n\n");
        m_exchange->end();
    }

    std::shared_ptr<ApiState> m_state;
    std::shared_ptr<HttpExchange> m_exchange;
    std::shared_ptr<engine::TokenStream> m_stream;
    AnswerForm m_form;
    AnswerJson m_frames;
    bool m_hasBegun = false;
    bool m_isOver = false;
};

} // namespace

void relayAnswer(const std::shared_ptr<ApiState>& state,
                 const std::shared_ptr<HttpExchange>& exchange,
                 std::shared_ptr<engine::TokenStream> stream, AnswerForm form) {
    std::make_shared<AnswerRelay>(state, exchange, std::move(stream), std::move(form))->start();
}

} // namespace app

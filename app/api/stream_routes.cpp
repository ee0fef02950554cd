// Prompts that a client writes piece by piece: open, append, truncate, complete. See api.h.
#include "app/api/api.h"
#include "app/api/api_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStreams = 64;

} // namespace

struct Api::OpenStream {
    std::shared_ptr<engine::TokenStream> stream;
    AnswerForm form;
    engine::Sampling sampling; // unless its completion says otherwise
};

// Completed, cancelled, or given up by the engine after its time.
void Api::dropEndedStreams() {
    std::erase_if(m_streams, [](const auto& entry) { return entry.second->stream->isFinished(); });
}

Api::OpenStream& Api::streamOf(const ApiCall& call) {
    const std::string& text = call.parts.front();
    std::uint64_t id = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), id);
    const auto found = m_streams.find(id);
    if (code != std::errc{} || end != text.data() + text.size() || found == m_streams.end()) {
        throw ApiFailure(404, "There is no open stream of this id.", "stream_not_found");
    }
    if (found->second->stream->isFinished()) {
        const std::string message = found->second->stream->message();
        m_streams.erase(found);
        throw ApiFailure(409, message.empty() ? "The stream has ended." : message, "stream_ended");
    }
    return *found->second;
}

void Api::openStream(const ApiCall& call) {
    const ServedModels served = this->served();
    const engine::Capabilities& loaded = served.model;
    AnswerRequest asked = openRequest(call.request, served, call.received);
    dropEndedStreams();
    if (m_streams.size() >= kMostStreams) {
        throw ApiFailure(429, fmt::format("{} streams are open already.", m_streams.size()),
                         "overloaded");
    }
    AnswerForm form{.shape = asked.shape,
                    .model =
                        asked.request.adapter.empty() ? loaded.modelName : asked.request.adapter,
                    .fingerprint = loaded.modelDigest,
                    .headers = sessionHeaders()};
    const engine::Sampling sampling = asked.request.sampling;
    auto stream = m_state->open(std::move(asked.request));
    if (!stream) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    if (stream->isFinished() && stream->finishReason() == engine::FinishReason::Rejected) {
        throw ApiFailure(400, stream->message(), "rejected");
    }
    const auto id = static_cast<std::uint64_t>(stream->id());
    m_streams[id] = std::make_shared<OpenStream>(
        OpenStream{.stream = std::move(stream), .form = std::move(form), .sampling = sampling});
    call.exchange->respond({.status = 201,
                            .body = Json{{"id", std::to_string(id)}, {"object", "stream"}}.dump(),
                            .headers = sessionHeaders()});
}

void Api::showStream(const ApiCall& call) {
    const OpenStream& open = streamOf(call);
    call.exchange->respond(
        {.body = Json{{"id", std::to_string(static_cast<std::uint64_t>(open.stream->id()))},
                      {"object", "stream"},
                      {"state", "open"}}
                     .dump()});
}

void Api::appendToStream(const ApiCall& call) {
    const OpenStream& open = streamOf(call);
    const auto text = textOf(parsedBody(call.request), "text");
    if (!text) {
        throw ApiFailure(400, "text is missing.", {}, "text");
    }
    m_state->withBackend(
        [&](engine::Backend& backend) { backend.append(open.stream->id(), *text); });
    call.exchange->respond({.status = 204});
}

void Api::truncateStream(const ApiCall& call) {
    const OpenStream& open = streamOf(call);
    const auto bytes = integerOf(parsedBody(call.request), "bytes", 0, std::int64_t{1} << 40);
    if (!bytes) {
        throw ApiFailure(400, "bytes is missing.", {}, "bytes");
    }
    m_state->withBackend([&](engine::Backend& backend) {
        backend.truncate(open.stream->id(), static_cast<std::size_t>(*bytes));
    });
    call.exchange->respond({.status = 204});
}

void Api::completeStream(const ApiCall& call) {
    const engine::Capabilities loaded = model();
    OpenStream& open = streamOf(call);
    CompletedPrompt completed = completionOf(call.request, loaded, open.sampling);
    const auto stream = open.stream;
    AnswerForm form = open.form;
    form.isStreamed = completed.isStreamed;
    form.wantsUsage = completed.wantsUsage;
    m_streams.erase(static_cast<std::uint64_t>(stream->id()));
    m_state->withBackend([&](engine::Backend& backend) {
        backend.complete(stream->id(), std::move(completed.completion));
    });
    relayAnswer(m_state, call.exchange, stream, std::move(form));
}

void Api::closeStream(const ApiCall& call) {
    const OpenStream& open = streamOf(call);
    const engine::RequestId id = open.stream->id();
    m_state->cancel(id);
    m_streams.erase(static_cast<std::uint64_t>(id));
    call.exchange->respond({.status = 204});
}

} // namespace app

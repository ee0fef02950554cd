// What clients of the OpenAI API know, and what they need beside it. See api.h.
#include "app/api/api.h"
#include "app/api/api_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostTokenizedBytes = 1024 * 1024; // encoded on the server's thread

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json modelJson(const engine::Capabilities& model) {
    return {{"id", model.modelName},
            {"object", "model"},
            {"created", 0},
            {"owned_by", "headway"},
            {"max_model_len", model.contextTokens},
            {"digest", model.modelDigest},
            {"architecture", model.architecture},
            {"format", model.fileFormat},
            {"parameters", model.parameters}};
}

// As vLLM lists it: a model of its own with a parent.
Json adapterModelJson(const std::string& name, const engine::Capabilities& base) {
    Json json = modelJson(base);
    json["id"] = name;
    json["parent"] = base.modelName;
    return json;
}

} // namespace

void Api::health(const ApiCall& call) {
    const bool isLoaded = m_state->model().has_value();
    const engine::EngineState state = m_state->figures().state;
    const bool isWell = isLoaded && state != engine::EngineState::Failed;
    const Json body = {{"status", isWell      ? "ok"
                                  : !isLoaded ? "no model"
                                              : "failed"},
                       {"state", isLoaded ? engine::name(state) : "no model"}};
    call.exchange->respond({.status = isWell ? 200 : 503, .body = dumped(body)});
}

void Api::listModels(const ApiCall& call) {
    Json list = Json::array();
    if (const auto model = m_state->model()) {
        list.push_back(modelJson(*model));
        for (const std::string& name : served().adapters) {
            list.push_back(adapterModelJson(name, *model));
        }
    }
    call.exchange->respond({.body = dumped({{"object", "list"}, {"data", std::move(list)}})});
}

void Api::showModel(const ApiCall& call) {
    const ServedModels served = this->served();
    const std::string& wanted = call.parts.front();
    const auto names = modelNames(served.model);
    const bool isBase = std::ranges::find(names, wanted) != names.end();
    if (!isBase && std::ranges::find(served.adapters, wanted) == served.adapters.end()) {
        throw ApiFailure(404, "This model is not loaded.", "model_not_found");
    }
    call.exchange->respond({.body = dumped(isBase ? modelJson(served.model)
                                                  : adapterModelJson(wanted, served.model))});
}

void Api::chat(const ApiCall& call) {
    answer(call, chatRequest(call.request, served(), call.received));
}

void Api::complete(const ApiCall& call) {
    answer(call, textRequest(call.request, served(), call.received));
}

void Api::answer(const ApiCall& call, AnswerRequest asked) {
    const engine::Capabilities loaded = model();
    AnswerForm form{.shape = asked.shape,
                    .isStreamed = asked.isStreamed,
                    .wantsUsage = asked.wantsUsage,
                    .wantsLogprobs = asked.request.logprobs.has_value(),
                    .model =
                        asked.request.adapter.empty() ? loaded.modelName : asked.request.adapter,
                    .fingerprint = loaded.modelDigest,
                    .headers = sessionHeaders()};
    auto stream = m_state->submit(std::move(asked.request));
    if (!stream) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    relayAnswer(m_state, call.exchange, std::move(stream), std::move(form));
}

void Api::tokenize(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    auto text = textOf(body, "prompt");
    if (!text) {
        text = textOf(body, "content");
    }
    if (!text || text->size() > kMostTokenizedBytes) {
        throw ApiFailure(400,
                         fmt::format("prompt is a text of at most {} bytes.", kMostTokenizedBytes),
                         {}, "prompt");
    }
    engine::Result<std::vector<engine::TokenId>> ids;
    if (!m_state->withBackend([&](engine::Backend& backend) { ids = backend.tokenize(*text); })) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    if (!ids) {
        throw ApiFailure(400, ids.error().message);
    }
    const Json result = {{"count", ids->size()},
                         {"max_model_len", model().contextTokens},
                         {"tokens", std::move(*ids)}};
    call.exchange->respond({.body = dumped(result)});
}

void Api::detokenize(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    const auto found = body.find("tokens");
    std::vector<engine::TokenId> ids;
    if (found == body.end() || !found->is_array()) {
        throw ApiFailure(400, "tokens is a list of token ids.", {}, "tokens");
    }
    for (const nlohmann::json& id : *found) {
        if (!id.is_number_integer() || id < 0 || id > std::numeric_limits<engine::TokenId>::max()) {
            throw ApiFailure(400, "tokens is a list of token ids.", {}, "tokens");
        }
        ids.push_back(id);
    }
    engine::Result<std::string> text;
    if (!m_state->withBackend([&](engine::Backend& backend) { text = backend.detokenize(ids); })) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    if (!text) {
        throw ApiFailure(400, text.error().message);
    }
    call.exchange->respond({.body = dumped({{"prompt", std::move(*text)}})});
}

void Api::metrics(const ApiCall& call) {
    call.exchange->respond({.contentType = "text/plain; version=0.0.4; charset=utf-8",
                            .body = m_state->metricsText()});
}

} // namespace app

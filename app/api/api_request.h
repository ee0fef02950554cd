// Bodies and headers of the API into requests of the engine: every number and length checked, what
// is not supported refused by name. Throws ApiFailure. Any thread.
#pragma once

#include "app/api/api_failure.h"
#include "app/api/http_server.h"
#include "engine/backend.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace app {

enum class AnswerShape : std::uint8_t { Chat, Text };

struct AnswerRequest {
    engine::Request request;
    AnswerShape shape = AnswerShape::Chat;
    bool isStreamed = false;
    bool wantsUsage = false; // a frame with the counts at the end of a stream
};

// The JSON object of a body.
nlohmann::json parsedBody(const HttpRequest& request);

// What the call may name as its model: the loaded one, or an adapter over it.
struct ServedModels {
    engine::Capabilities model;
    std::vector<std::string> adapters = {};
};
// `now` is where a deadline counts from.
AnswerRequest chatRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now);
AnswerRequest textRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now);
// A prompt that will be written piece by piece: {prompt} or {messages}, either may be empty.
AnswerRequest openRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now);
// The end of it: {max_tokens, temperature, ..., stream}.
struct CompletedPrompt {
    engine::Completion completion;
    bool isStreamed = false;
    bool wantsUsage = false;
};
// `opened`: the sampling that the stream was opened with; what the body says goes before it.
CompletedPrompt completionOf(const HttpRequest& request, const engine::Capabilities& model,
                             const engine::Sampling& opened);

// Names by which the loaded model may be asked for: its own and its file's.
std::vector<std::string> modelNames(const engine::Capabilities& model);

// A member of an object, checked. Empty where it is absent or null.
std::optional<std::int64_t> integerOf(const nlohmann::json& object, const char* name,
                                      std::int64_t least, std::int64_t most);
std::optional<double> numberOf(const nlohmann::json& object, const char* name, double least,
                               double most);
std::optional<bool> switchOf(const nlohmann::json& object, const char* name);
std::optional<std::string> textOf(const nlohmann::json& object, const char* name);

} // namespace app

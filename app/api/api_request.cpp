#include "app/api/api_request.h"

#include "app/api/api_messages.h"
#include "app/json_depth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <span>

namespace app {

namespace {

using nlohmann::json;

constexpr std::size_t kMostStops = 16;
constexpr std::size_t kLongestStop = 256;
constexpr std::int64_t kLongestDeadlineMs = 86'400'000;
constexpr std::size_t kLongestSalt = 256;

[[noreturn]] void refuse(const char* name, const std::string& message) {
    throw ApiFailure(400, message, {}, name);
}

const json* memberOf(const json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

// What a request may carry only as if it were absent.
void refuseUnsupported(const json& body) {
    if (integerOf(body, "n", 1, 128).value_or(1) != 1 ||
        integerOf(body, "best_of", 1, 128).value_or(1) != 1) {
        refuse("n", "One answer a request is supported: n must be 1.");
    }
    for (const char* name : {"presence_penalty", "frequency_penalty"}) {
        if (numberOf(body, name, -2.0, 2.0).value_or(0.0) != 0.0) {
            refuse(name, fmt::format("{} is not supported; leave it out.", name));
        }
    }
    if (numberOf(body, "repetition_penalty", 0.0, 100.0).value_or(1.0) != 1.0) {
        refuse("repetition_penalty", "repetition_penalty is not supported; leave it out.");
    }
    for (const char* name : {"logit_bias", "tools", "functions", "suffix", "echo", "guided_json",
                             "guided_regex", "guided_choice", "guided_grammar"}) {
        const json* value = memberOf(body, name);
        if (value != nullptr && *value != json(false) &&
            !(value->is_structured() && value->empty())) {
            refuse(name, fmt::format("{} is not supported; leave it out.", name));
        }
    }
    if (const json* format = memberOf(body, "response_format")) {
        if (!format->is_object() || format->value("type", json("text")) != json("text")) {
            refuse("response_format", "Answers are plain text: response_format must be of the type "
                                      "\"text\".");
        }
    }
}

// The name of an adapter where that is what the call asks for.
std::string adapterOf(const json& body, const ServedModels& served) {
    const auto wanted = textOf(body, "model");
    if (!wanted) {
        return {};
    }
    const auto names = modelNames(served.model);
    if (std::ranges::find(names, *wanted) != names.end()) {
        return {};
    }
    if (std::ranges::find(served.adapters, *wanted) == served.adapters.end()) {
        throw ApiFailure(404,
                         fmt::format("The model \"{}\" is not loaded; \"{}\" is.",
                                     wanted->substr(0, 200), names.front()),
                         "model_not_found", "model");
    }
    return *wanted;
}

std::vector<std::string> stopsOf(const json& body) {
    std::vector<std::string> stops;
    if (const json* stop = memberOf(body, "stop")) {
        const json list = stop->is_array() ? *stop : json::array({*stop});
        if (list.size() > kMostStops) {
            refuse("stop", fmt::format("At most {} stop texts are allowed.", kMostStops));
        }
        for (const json& text : list) {
            if (!text.is_string() || text.get_ref<const std::string&>().empty() ||
                text.get_ref<const std::string&>().size() > kLongestStop) {
                refuse("stop",
                       fmt::format("A stop text is a string of 1 to {} bytes.", kLongestStop));
            }
            stops.push_back(text);
        }
    }
    return stops;
}

// As the servers that clients know: without a seed every answer is another one.
engine::Sampling usualSampling() {
    engine::Sampling sampling;
    sampling.temperature = 1.0F;
    sampling.topP = 1.0F;
    sampling.minP = 0.0F;
    sampling.topK = 0;
    sampling.seed = std::random_device{}();
    return sampling;
}

// What a body says, over what holds otherwise.
engine::Sampling samplingOf(const json& body, engine::Sampling sampling) {
    const auto take = [&body](const char* name, float& value, double least, double most) {
        if (const auto given = numberOf(body, name, least, most)) {
            value = static_cast<float>(*given);
        }
    };
    take("temperature", sampling.temperature, 0.0, 100.0);
    take("top_p", sampling.topP, 0.0, 1.0);
    take("min_p", sampling.minP, 0.0, 1.0);
    if (const auto most = integerOf(body, "top_k", -1, 1 << 24)) {
        sampling.topK = static_cast<int>(std::max<std::int64_t>(0, *most)); // -1: off
    }
    const auto seed = integerOf(body, "seed", std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max());
    if (seed) {
        sampling.seed = static_cast<std::uint64_t>(*seed);
    }
    return sampling;
}

int tokenLimitOf(const json& body, const engine::Capabilities& model, std::int64_t otherwise) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto limit = integerOf(body, "max_completion_tokens", 1, kMost);
    const auto old = integerOf(body, "max_tokens", 1, kMost);
    const std::int64_t context = std::max<std::int64_t>(1, model.contextTokens);
    return static_cast<int>(std::min(limit ? *limit : old.value_or(otherwise), context));
}

engine::Lane laneOf(const HttpRequest& request) {
    const std::string_view mode = request.header("x-mode");
    const std::string_view batch = request.header("x-batch");
    if (!mode.empty() && mode != "realtime" && mode != "batch") {
        throw ApiFailure(400, "X-Mode is \"realtime\" or \"batch\".");
    }
    if (!batch.empty() && batch != "true" && batch != "false") {
        throw ApiFailure(400, "X-Batch is \"true\" or \"false\".");
    }
    if (mode == "realtime" && batch == "true") {
        throw ApiFailure(400, "X-Mode: realtime and X-Batch: true contradict each other.");
    }
    return mode == "batch" || batch == "true" ? engine::Lane::Batch : engine::Lane::Realtime;
}

std::optional<engine::TimePoint> deadlineOf(const HttpRequest& request, engine::TimePoint now) {
    const std::string_view text = request.header("x-deadline-ms");
    if (text.empty()) {
        return std::nullopt;
    }
    std::int64_t milliseconds = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    if (code != std::errc{} || end != text.data() + text.size() || milliseconds < 1 ||
        milliseconds > kLongestDeadlineMs) {
        throw ApiFailure(400, fmt::format("X-Deadline-Ms is a number of milliseconds from 1 to {}.",
                                          kLongestDeadlineMs));
    }
    return now + std::chrono::milliseconds(milliseconds);
}

// Of this request alone; absent, it is as the setting says.
std::optional<engine::Attention> attentionOf(const json& body) {
    const auto mode = textOf(body, "attention");
    if (!mode) {
        return std::nullopt;
    }
    if (*mode != "full" && *mode != "sparse") {
        refuse("attention", "attention is \"full\" or \"sparse\".");
    }
    return *mode == "sparse" ? engine::Attention::Sparse : engine::Attention::Full;
}

void readCommon(const HttpRequest& request, const json& body, const ServedModels& served,
                engine::TimePoint now, AnswerRequest& answer) {
    answer.request.adapter = adapterOf(body, served);
    refuseUnsupported(body);
    answer.request.sampling = samplingOf(body, usualSampling());
    answer.request.stop = stopsOf(body);
    answer.request.lane = laneOf(request);
    answer.request.deadline = deadlineOf(request, now);
    answer.request.label = "api";
    answer.request.ignoreEnd = switchOf(body, "ignore_eos").value_or(false);
    answer.request.attention = attentionOf(body);
    answer.request.tenant = textOf(body, "cache_salt").value_or("");
    if (answer.request.tenant.size() > kLongestSalt) {
        refuse("cache_salt", fmt::format("cache_salt has at most {} bytes.", kLongestSalt));
    }
    answer.isStreamed = switchOf(body, "stream").value_or(false);
    if (const json* options = memberOf(body, "stream_options")) {
        if (!options->is_object() || !answer.isStreamed) {
            refuse("stream_options", "stream_options is an object, and goes with stream: true.");
        }
        answer.wantsUsage = switchOf(*options, "include_usage").value_or(false);
    }
}

void readPrompt(const json& body, engine::Request& request) {
    const json* prompt = memberOf(body, "prompt");
    if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 &&
        !prompt->front().is_number()) {
        prompt = &prompt->front(); // a batch of one
    }
    if (prompt == nullptr) {
        refuse("prompt", "The prompt is missing.");
    }
    if (prompt->is_string()) {
        request.prompt = prompt->get<std::string>();
        return;
    }
    const auto isToken = [](const json& id) {
        return id.is_number_integer() && id >= 0 && id <= std::numeric_limits<std::int32_t>::max();
    };
    if (!prompt->is_array() || prompt->empty() || !std::ranges::all_of(*prompt, isToken)) {
        refuse("prompt", "The prompt is one text or one array of token ids.");
    }
    request.prompt = prompt->get<std::vector<engine::TokenId>>();
}

void readThinking(const json& body, engine::Request& request) {
    if (const json* options = memberOf(body, "chat_template_kwargs")) {
        if (!options->is_object()) {
            refuse("chat_template_kwargs", "chat_template_kwargs is an object.");
        }
        if (const auto isOn = switchOf(*options, "enable_thinking")) {
            request.thinking = *isOn ? engine::Thinking::On : engine::Thinking::Off;
        }
    }
}

} // namespace

json parsedBody(const HttpRequest& request) {
    const std::string_view type = request.header("content-type");
    if (!type.empty() && !type.starts_with("application/json")) {
        throw ApiFailure(415, "The body must be JSON: Content-Type: application/json.");
    }
    json body = isDeeperThan(request.body, kDeepestJson)
                    ? json()
                    : json::parse(request.body, nullptr, false);
    if (!body.is_object()) {
        throw ApiFailure(400, "The body must be a JSON object in valid UTF-8.");
    }
    return body;
}

std::vector<std::string> modelNames(const engine::Capabilities& model) {
    std::vector<std::string> names = {model.modelName};
    const std::filesystem::path file(model.modelPath);
    for (const std::string& name : {file.stem().string(), file.filename().string()}) {
        if (!name.empty() && std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

AnswerRequest chatRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now) {
    const json body = parsedBody(request);
    AnswerRequest answer{.request = {}, .shape = AnswerShape::Chat};
    readCommon(request, body, served, now, answer);
    const json* messages = memberOf(body, "messages");
    if (messages == nullptr) {
        refuse("messages", "The messages are missing.");
    }
    answer.request.prompt = chatMessages(*messages);
    readThinking(body, answer.request);
    answer.request.maxTokens = tokenLimitOf(body, served.model, served.model.contextTokens);
    if (switchOf(body, "logprobs").value_or(false)) {
        answer.request.logprobs =
            static_cast<int>(integerOf(body, "top_logprobs", 0, engine::kMostLogprobs).value_or(0));
    } else if (integerOf(body, "top_logprobs", 0, engine::kMostLogprobs)) {
        refuse("top_logprobs", "top_logprobs goes with logprobs: true.");
    }
    return answer;
}

AnswerRequest textRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now) {
    const json body = parsedBody(request);
    AnswerRequest answer{.request = {}, .shape = AnswerShape::Text};
    readCommon(request, body, served, now, answer);
    readPrompt(body, answer.request);
    constexpr std::int64_t kUsual = 16; // as the OpenAI API has it
    answer.request.maxTokens = tokenLimitOf(body, served.model, kUsual);
    if (const auto count = integerOf(body, "logprobs", 0, engine::kMostLogprobs)) {
        answer.request.logprobs = static_cast<int>(*count);
    }
    return answer;
}

// What the answer to a streamed prompt can't have, or only where it is opened.
void refuseForStreams(const json& body, std::span<const char* const> names) {
    for (const char* name : names) {
        const json* value = memberOf(body, name);
        if (value != nullptr && *value != json(false)) {
            refuse(name, fmt::format("{} is not possible here; leave it out.", name));
        }
    }
}

AnswerRequest openRequest(const HttpRequest& request, const ServedModels& served,
                          engine::TimePoint now) {
    const json body = parsedBody(request);
    const json* messages = memberOf(body, "messages");
    AnswerRequest answer{.request = {},
                         .shape = messages != nullptr ? AnswerShape::Chat : AnswerShape::Text};
    constexpr std::array kNever = {"logprobs", "top_logprobs"};
    refuseForStreams(body, kNever);
    readCommon(request, body, served, now, answer);
    if (messages != nullptr) {
        answer.request.prompt = chatMessages(*messages);
        readThinking(body, answer.request);
    } else {
        answer.request.prompt = textOf(body, "prompt").value_or("");
    }
    return answer;
}

CompletedPrompt completionOf(const HttpRequest& request, const engine::Capabilities& model,
                             const engine::Sampling& opened) {
    const json body = request.body.empty() ? json::object() : parsedBody(request);
    constexpr std::array kNotHere = {"logprobs",   "top_logprobs", "stop",
                                     "ignore_eos", "cache_salt",   "messages"};
    refuseForStreams(body, kNotHere);
    refuseUnsupported(body);
    for (const std::string_view header : {"x-mode", "x-batch", "x-deadline-ms"}) {
        if (!request.header(header).empty()) {
            throw ApiFailure(400, fmt::format("{} belongs to the request that opens the stream; a "
                                              "deadline counts from here all the same.",
                                              header));
        }
    }
    CompletedPrompt completed;
    completed.completion.maxTokens = tokenLimitOf(body, model, model.contextTokens);
    completed.completion.sampling = samplingOf(body, opened);
    completed.isStreamed = switchOf(body, "stream").value_or(false);
    completed.wantsUsage = completed.isStreamed;
    return completed;
}

std::optional<std::int64_t> integerOf(const json& object, const char* name, std::int64_t least,
                                      std::int64_t most) {
    const json* value = memberOf(object, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool isInteger = value->is_number_integer() &&
                           !(value->is_number_unsigned() && value->get<std::uint64_t>() > kLargest);
    if (!isInteger || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
        refuse(name, fmt::format("{} must be a whole number from {} to {}.", name, least, most));
    }
    return value->get<std::int64_t>();
}

std::optional<double> numberOf(const json& object, const char* name, double least, double most) {
    const json* value = memberOf(object, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const double number = value->is_number() ? value->get<double>() : NAN;
    if (!(number >= least && number <= most)) {
        refuse(name, fmt::format("{} must be a number from {} to {}.", name, least, most));
    }
    return number;
}

std::optional<bool> switchOf(const json& object, const char* name) {
    const json* value = memberOf(object, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_boolean()) {
        refuse(name, fmt::format("{} must be true or false.", name));
    }
    return value->get<bool>();
}

std::optional<std::string> textOf(const json& object, const char* name) {
    const json* value = memberOf(object, name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_string()) {
        refuse(name, fmt::format("{} must be a text.", name));
    }
    return value->get<std::string>();
}

} // namespace app

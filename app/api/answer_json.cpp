#include "app/api/answer_json.h"

#include "app/api/api_answer.h"

#include <QString>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLongestRetry = 30;

double milliseconds(engine::Nanoseconds span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

void addTime(Json& object, const char* name, const std::optional<engine::Nanoseconds>& span) {
    if (span) {
        object[name] = milliseconds(*span);
    }
}

std::string_view finishName(engine::FinishReason reason) {
    return reason == engine::FinishReason::Length ? "length" : "stop";
}

std::int64_t characters(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

// Its text, or its bytes where they are no text, as the OpenAI API spells them: two tokens never
// have one name because both are parts of characters.
std::string tokenName(const std::string& bytes) {
    const QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    if (text.toStdString() == bytes) {
        return bytes;
    }
    std::string name = "bytes:";
    for (const char c : bytes) {
        name += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return name;
}

} // namespace

Json headwayJson(const engine::RequestRecord& record) {
    const auto has = [&](engine::SampleTag tag) {
        return (record.tags & static_cast<std::uint32_t>(tag)) != 0;
    };
    Json object;
    object["request_id"] = static_cast<std::uint64_t>(record.id);
    object["source"] = has(engine::SampleTag::Cached)       ? "cache"
                       : has(engine::SampleTag::LightModel) ? "light"
                                                            : "model";
    object["degraded"] = has(engine::SampleTag::Degraded);
    if (!record.message.empty()) { // of an answer that its context cut, too
        object["message"] = record.message;
    }
    addTime(object, "ttft_ms", record.ttftFromReceived());
    addTime(object, "tpot_ms", record.tpot());
    if (record.ledgerNs) {
        Json& ledger = object["ledger_ms"] = Json::object();
        for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
            ledger[std::string(engine::name(static_cast<engine::Stage>(stage)))] =
                static_cast<double>((*record.ledgerNs)[stage]) / 1e6;
        }
    }
    return object;
}

// About as long as what waits takes at the rate of a few requests a second.
std::int64_t retrySeconds(const engine::Snapshot& figures) {
    const std::int64_t slots = std::max<std::int64_t>(1, figures.slots);
    return std::clamp<std::int64_t>(figures.waiting / slots, 1, kLongestRetry);
}

AnswerJson::AnswerJson(const AnswerForm& form, engine::RequestId id, const ApiState& state)
    : m_form(form),
      m_state(state),
      m_id(fmt::format("{}-{}", form.shape == AnswerShape::Chat ? "chatcmpl" : "cmpl",
                       static_cast<std::uint64_t>(id))),
      m_created(std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count()) {}

Json AnswerJson::frame() const {
    const bool isChat = m_form.shape == AnswerShape::Chat;
    Json json;
    json["id"] = m_id;
    json["object"] = !isChat             ? "text_completion"
                     : m_form.isStreamed ? "chat.completion.chunk"
                                         : "chat.completion";
    json["created"] = m_created;
    json["model"] = m_form.model;
    json["system_fingerprint"] = m_form.fingerprint;
    json["choices"] = Json::array();
    return json;
}

std::optional<Json> AnswerJson::first() const {
    if (m_form.shape != AnswerShape::Chat) {
        return std::nullopt;
    }
    Json json = frame();
    json["choices"].push_back({{"index", 0},
                               {"delta", {{"role", "assistant"}, {"content", ""}}},
                               {"logprobs", nullptr},
                               {"finish_reason", nullptr}});
    return json;
}

Json AnswerJson::piece(const engine::TokenStream::Chunk& chunk) {
    Json json = frame();
    Json choice = {{"index", 0}};
    if (m_form.shape == AnswerShape::Chat) {
        choice["delta"] = {{"content", chunk.text}};
    } else {
        choice["text"] = chunk.text;
    }
    choice["logprobs"] = logprobsOf(chunk.logprobs);
    choice["finish_reason"] = nullptr;
    json["choices"].push_back(std::move(choice));
    return json;
}

Json AnswerJson::last(engine::FinishReason reason, const engine::RequestRecord* record) {
    Json json = frame();
    Json choice = {{"index", 0}};
    if (m_form.shape == AnswerShape::Chat) {
        choice["delta"] = Json::object();
    } else {
        choice["text"] = "";
    }
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = finishName(reason);
    json["choices"].push_back(std::move(choice));
    if (record != nullptr) {
        json["headway"] = headwayJson(*record);
    }
    return json;
}

Json AnswerJson::counts(const engine::RequestRecord* record) const {
    const std::int64_t prompt = record != nullptr ? record->promptTokens : 0;
    const std::int64_t output = record != nullptr ? record->outputTokens : 0;
    return {
        {"prompt_tokens", prompt},
        {"completion_tokens", output},
        {"total_tokens", prompt + output},
        {"prompt_tokens_details", {{"cached_tokens", record != nullptr ? record->hitTokens : 0}}}};
}

Json AnswerJson::usage(const engine::RequestRecord* record) const {
    Json json = frame();
    json["usage"] = counts(record);
    return json;
}

void AnswerJson::keep(const engine::TokenStream::Chunk& chunk) {
    m_text += chunk.text;
    m_logprobs.insert(m_logprobs.end(), chunk.logprobs.begin(), chunk.logprobs.end());
}

Json AnswerJson::whole(engine::FinishReason reason, const engine::RequestRecord* record) {
    Json json = frame();
    Json choice = {{"index", 0}};
    if (m_form.shape == AnswerShape::Chat) {
        choice["message"] = {{"role", "assistant"}, {"content", m_text}};
    } else {
        choice["text"] = m_text;
    }
    choice["logprobs"] = logprobsOf(m_logprobs);
    choice["finish_reason"] = finishName(reason);
    json["choices"].push_back(std::move(choice));
    json["usage"] = counts(record);
    if (record != nullptr) {
        json["headway"] = headwayJson(*record);
    }
    return json;
}

std::string AnswerJson::tokenBytes(engine::TokenId id) const {
    std::string bytes;
    m_state.withBackend([&](engine::Backend& backend) {
        if (auto found = backend.tokenBytes(id)) {
            bytes = std::move(*found);
        }
    });
    return bytes;
}

Json AnswerJson::logprobsOf(const std::vector<engine::TokenLogprobs>& tokens) {
    if (!m_form.wantsLogprobs) {
        return nullptr;
    }
    if (m_form.shape == AnswerShape::Chat) {
        const auto entry = [this](engine::TokenId id, float logprob) {
            const std::string bytes = tokenBytes(id);
            std::vector<int> values;
            for (const char c : bytes) {
                values.push_back(static_cast<unsigned char>(c));
            }
            return Json{
                {"token", QString::fromUtf8(bytes.data(), qsizetype(bytes.size())).toStdString()},
                {"logprob", logprob},
                {"bytes", std::move(values)}};
        };
        Json content = Json::array();
        for (const engine::TokenLogprobs& token : tokens) {
            Json row = entry(token.id, token.logprob);
            row["top_logprobs"] = Json::array();
            for (const auto& [id, logprob] : token.top) {
                row["top_logprobs"].push_back(entry(id, logprob));
            }
            content.push_back(std::move(row));
        }
        return {{"content", std::move(content)}};
    }
    Json result = {{"tokens", Json::array()},
                   {"token_logprobs", Json::array()},
                   {"top_logprobs", Json::array()},
                   {"text_offset", Json::array()}};
    for (const engine::TokenLogprobs& token : tokens) {
        const std::string bytes = tokenBytes(token.id);
        result["tokens"].push_back(tokenName(bytes));
        result["token_logprobs"].push_back(token.logprob);
        Json top = Json::object();
        for (const auto& [id, logprob] : token.top) {
            top[tokenName(tokenBytes(id))] = logprob;
        }
        result["top_logprobs"].push_back(std::move(top));
        result["text_offset"].push_back(m_offset);
        m_offset += characters(bytes);
    }
    return result;
}

} // namespace app

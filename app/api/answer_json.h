// The objects of the OpenAI API that an answer is told in: the whole of it, or its pieces. One
// thread.
#pragma once

#include "app/api/api_state.h"
#include "engine/events.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace app {

struct AnswerForm;

class AnswerJson {
public:
    AnswerJson(const AnswerForm& form, engine::RequestId id, const ApiState& state);

    // A stream: the role, a piece, the end, the counts.
    std::optional<nlohmann::ordered_json> first() const;
    nlohmann::ordered_json piece(const engine::TokenStream::Chunk& chunk);
    nlohmann::ordered_json last(engine::FinishReason reason, const engine::RequestRecord* record);
    nlohmann::ordered_json usage(const engine::RequestRecord* record) const;

    // An answer in one piece: what arrives is kept, then told.
    void keep(const engine::TokenStream::Chunk& chunk);
    nlohmann::ordered_json whole(engine::FinishReason reason, const engine::RequestRecord* record);

private:
    nlohmann::ordered_json frame() const;
    nlohmann::ordered_json counts(const engine::RequestRecord* record) const;
    nlohmann::ordered_json logprobsOf(const std::vector<engine::TokenLogprobs>& tokens);
    std::string tokenBytes(engine::TokenId id) const;

    const AnswerForm& m_form;
    const ApiState& m_state;
    std::string m_id;
    std::int64_t m_created;
    std::string m_text;
    std::vector<engine::TokenLogprobs> m_logprobs;
    std::int64_t m_offset = 0; // of the next token in the text, in characters
};

// What the product adds to an answer: where its time went, and what answered it.
nlohmann::ordered_json headwayJson(const engine::RequestRecord& record);
// How long somebody who was turned away should wait.
std::int64_t retrySeconds(const engine::Snapshot& figures);

} // namespace app

#include "app/probe/probe_tokenizer.h"

#include "app/command/command.h"

namespace app {

ProbeTokenizer::ProbeTokenizer(const std::string& model)
    : m_checkpoint(orFail(engine::openCheckpoint(model))),
      m_tokenizer(orFail(engine::makeTokenizer(*m_checkpoint))),
      m_chat(engine::makeChatFormat(*m_checkpoint)) {}

std::vector<engine::TokenId> ProbeTokenizer::promptIds(const engine::Request& request) const {
    // A prompt that the engine refused has no ids to show; the refusal is told by the answer.
    return engine::encodePrompt(*m_tokenizer, m_chat.get(), request)
        .value_or(std::vector<engine::TokenId>{});
}

} // namespace app

// The tokenizer and chat format of a model file without an engine: reads the vocabulary only. Main
// thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/tokenizer.h"

#include <memory>
#include <string>
#include <vector>

namespace app {

class ProbeTokenizer {
public:
    explicit ProbeTokenizer(const std::string& model); // CommandError where it can't be opened

    const engine::Tokenizer& tokenizer() const { return *m_tokenizer; }
    const engine::ChatFormat* chat() const { return m_chat.get(); } // null: the file has none
    // What the engine makes of the request's prompt.
    std::vector<engine::TokenId> promptIds(const engine::Request& request) const;

private:
    std::unique_ptr<engine::Checkpoint> m_checkpoint;
    std::unique_ptr<engine::Tokenizer> m_tokenizer;
    std::unique_ptr<engine::ChatFormat> m_chat;
};

} // namespace app

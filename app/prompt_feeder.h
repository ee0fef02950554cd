// Feeds a prompt to the engine while it is being typed: what was written is computed before it is
// sent. Follows the text by its differences. Main thread.
#pragma once

#include "engine/backend.h"

#include <memory>
#include <string>

namespace app {

class PromptFeeder {
public:
    ~PromptFeeder() { drop(); }

    // The open text is now `text`; `opening` is the request around it, with the open text empty.
    // A prompt that has ended in the meantime (nobody wrote for long), or was opened with other
    // messages before its text, is opened again.
    void follow(engine::Backend& backend, const engine::Request& opening, const std::string& text);
    // Completes with this text and hands the answer's stream over; null where nothing is open
    // around it, and then the prompt is sent whole.
    std::shared_ptr<engine::TokenStream> complete(engine::Backend& backend,
                                                  const engine::Request& opening,
                                                  const std::string& text,
                                                  engine::Completion completion);
    void drop(); // forgets the text; the engine ends it when its time is over
    // The same at once.
    void cancel(engine::Backend& backend);
    bool isOpen() const { return m_stream && !m_stream->isFinished(); }

private:
    bool isAround(const engine::Request& opening) const;
    void sendDifference(engine::Backend& backend, const std::string& text);

    std::shared_ptr<engine::TokenStream> m_stream;
    decltype(engine::Request::prompt) m_around; // as it was opened
    std::string m_adapter;                      // likewise
    std::string m_sent;
};

} // namespace app

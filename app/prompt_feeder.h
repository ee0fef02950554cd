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
    // A prompt that has ended in the meantime (nobody wrote for long) is opened again.
    void follow(engine::Backend& backend, const engine::Request& opening, const std::string& text);
    // Completes with this text and hands the answer's stream over; null where nothing is open, and
    // then the prompt is sent whole.
    std::shared_ptr<engine::TokenStream> complete(engine::Backend& backend, const std::string& text,
                                                  engine::Completion completion);
    void drop(); // forgets the text; the engine ends it when its time is over
    // The same at once.
    void cancel(engine::Backend& backend);
    bool isOpen() const { return m_stream && !m_stream->isFinished(); }

private:
    void sendDifference(engine::Backend& backend, const std::string& text);

    std::shared_ptr<engine::TokenStream> m_stream;
    std::string m_sent;
};

} // namespace app

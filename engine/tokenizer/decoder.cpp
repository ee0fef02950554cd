#include "engine/base/utf8.h"
#include "engine/tokenizer/tokenizer.h"

namespace engine {

std::string IncrementalDecoder::push(std::string_view bytes) {
    m_pending.append(bytes);
    std::string text;
    std::string_view rest = m_pending;
    while (!rest.empty()) {
        const Utf8Step step = utf8Step(rest);
        if (step.state == Utf8::Incomplete) {
            break;
        }
        text += step.state == Utf8::Valid ? rest.substr(0, step.length) : kReplacementText;
        rest.remove_prefix(step.length);
    }
    m_pending.erase(0, m_pending.size() - rest.size());
    return text;
}

std::string IncrementalDecoder::flush() {
    // What is pending is one well-formed beginning: one maximal subpart.
    const bool isCut = !m_pending.empty();
    m_pending.clear();
    return isCut ? std::string(kReplacementText) : std::string();
}

} // namespace engine

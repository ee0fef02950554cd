#include "engine/loop/answer_text.h"

#include <algorithm>
#include <utility>

namespace engine {

namespace {

// Bytes at the end of `text` that begin `stop` without completing it.
std::size_t begunAtEnd(std::string_view text, std::string_view stop) {
    for (std::size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
        if (text.ends_with(stop.substr(0, length))) {
            return length;
        }
    }
    return 0;
}

} // namespace

AnswerText::AnswerText(std::vector<std::string> stop) : m_stop(std::move(stop)) {
    std::erase_if(m_stop, [](const std::string& text) { return text.empty(); });
}

std::string AnswerText::push(std::string_view bytes) {
    return showable(m_decoder.push(bytes));
}

std::string AnswerText::flush() {
    std::string rest = showable(m_decoder.flush());
    if (!m_isStopped) {
        rest += std::exchange(m_held, {});
    }
    return rest;
}

std::string AnswerText::showable(std::string_view decoded) {
    if (m_isStopped) {
        return {};
    }
    m_held += decoded;
    std::size_t first = std::string::npos;
    std::size_t begun = 0;
    for (const std::string& stop : m_stop) {
        first = std::min(first, m_held.find(stop));
        begun = std::max(begun, begunAtEnd(m_held, stop));
    }
    m_isStopped = first != std::string::npos;
    // A stop string that begins in the middle of a character never splits one: both are UTF-8.
    const std::size_t shown = m_isStopped ? first : m_held.size() - begun;
    std::string text = m_held.substr(0, shown);
    m_held.erase(0, shown);
    return text;
}

} // namespace engine

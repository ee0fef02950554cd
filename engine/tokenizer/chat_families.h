// The renderings of the chat formats, one function a family; the table is in chat_format.cpp. Any
// thread. Throw Failure for tools that are no JSON.
#pragma once

#include "engine/tokenizer/chat_prompt.h"

#include <string>

namespace engine::chat {

// What a family is told about one file.
struct FileTemplate {
    std::string defaultSystem;      // ChatML: said where the conversation brings no system message
    bool opensWithThinkEnd = false; // DeepSeek: "</think>" alone, not "<think></think>"
};

// chat_turns.cpp
Pieces renderChatMl(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderQwen3(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderLlama3(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderLlama31(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderGemma(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderGeneric(Messages messages, Thinking thinking, const FileTemplate& file);
// chat_deepseek.cpp
Pieces renderDeepseekV2(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderDeepseekV3(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderDeepseekR1(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderDeepseekV31(Messages messages, Thinking thinking, const FileTemplate& file);
// chat_dsml.cpp
Pieces renderDeepseekV32(Messages messages, Thinking thinking, const FileTemplate& file);
Pieces renderDeepseekV4(Messages messages, Thinking thinking, const FileTemplate& file);

// DeepSeek's marks, with the wide bar and the block that stands for a space.
inline constexpr std::string_view kBegin = "<\xEF\xBD\x9C"
                                           "begin\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>";
inline constexpr std::string_view kEnd = "<\xEF\xBD\x9C"
                                         "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>";
inline constexpr std::string_view kUser = "<\xEF\xBD\x9CUser\xEF\xBD\x9C>";
inline constexpr std::string_view kAssistant = "<\xEF\xBD\x9C"
                                               "Assistant\xEF\xBD\x9C>";

} // namespace engine::chat

// Vocabularies written to a file and opened again, for tokenizer tests.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/tokenizer.h"

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

// tokenizer.ggml.token_type
inline constexpr std::int32_t kNormal = 1, kUnknown = 2, kControl = 3, kUser = 4, kByte = 6;

// A byte-level vocabulary: the 256 bytes, then what the caller adds.
struct ByteVocabulary {
    std::vector<std::string> tokens;
    std::vector<std::int32_t> kinds;
    std::vector<std::string> merges;

    ByteVocabulary() {
        for (int byte = 0; byte < 256; ++byte) {
            add(engine::byteSpelling(static_cast<std::uint8_t>(byte)));
        }
    }
    void add(const std::string& token, std::int32_t kind = kNormal) {
        tokens.push_back(token);
        kinds.push_back(kind);
    }
    void merge(const std::string& left, const std::string& right) {
        merges.push_back(left + " " + right);
        add(left + right);
    }
    void write(engine::gguf::Writer& writer, std::string_view pre = "gpt-2") const {
        writer.addText("tokenizer.ggml.model", "gpt2");
        writer.addText("tokenizer.ggml.pre", pre);
        writer.addTexts("tokenizer.ggml.tokens", tokens);
        writer.addIntegers("tokenizer.ggml.token_type", kinds);
        writer.addTexts("tokenizer.ggml.merges", merges);
    }
};

// Throws what the engine says against it.
inline std::unique_ptr<engine::Tokenizer> openTokenizer(const std::filesystem::path& file) {
    const auto checkpoint = engine::openCheckpoint(file);
    if (!checkpoint) {
        throw std::runtime_error(checkpoint.error().message);
    }
    auto tokenizer = engine::makeTokenizer(**checkpoint);
    if (!tokenizer) {
        throw std::runtime_error(tokenizer.error().message);
    }
    return std::move(*tokenizer);
}

inline std::unique_ptr<engine::Tokenizer>
writtenTokenizer(const std::filesystem::path& file,
                 const std::function<void(engine::gguf::Writer&)>& fill) {
    {
        engine::gguf::Writer writer(file);
        fill(writer);
        writer.writeHeader();
        writer.finish();
    }
    return openTokenizer(file);
}

} // namespace tests

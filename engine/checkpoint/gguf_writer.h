// Writes a GGUF file front to back: pairs, then the tensor table, then the tensors' bytes in the
// order they were declared. Bounded memory; a file that was not finished is removed. One thread.
#pragma once

#include "engine/checkpoint/gguf_format.h"
#include "kernels/tensor.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine::gguf {

// Every member throws Failure where the disk refuses.
class Writer {
public:
    // Writes beside `file` under another name until finish().
    explicit Writer(std::filesystem::path file);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void addUnsigned(std::string_view key, std::uint32_t value);
    void addReal(std::string_view key, float value);
    void addBool(std::string_view key, bool value);
    void addText(std::string_view key, std::string_view value);
    void addTexts(std::string_view key, std::span<const std::string> values);
    void addIntegers(std::string_view key, std::span<const std::int32_t> values);
    void addReals(std::string_view key, std::span<const float> values);

    // Shape is outermost first; a row is a whole number of blocks.
    void declareTensor(std::string_view name, kernels::Format format, const kernels::Shape& shape);
    std::uint64_t dataBytes() const { return m_dataBytes; } // of all declared tensors, padded

    // After the last declaration; from here on only writeData.
    void writeHeader();
    // The next bytes of the tensors. A call never crosses from one tensor into the next.
    void writeData(std::span<const std::byte> bytes);
    // Puts the file in its place, replacing what was there.
    void finish();

private:
    struct Declared {
        std::string name;
        std::uint64_t bytes = 0;
    };

    void addKey(std::string_view key, ValueType type);
    void addArray(std::string_view key, ValueType elements, std::size_t count);
    void put(std::span<const std::byte> bytes);
    [[noreturn]] void failToWrite() const;

    std::filesystem::path m_file;
    std::filesystem::path m_partial;
    std::ofstream m_stream;
    std::string m_pairs; // encoded
    std::uint64_t m_pairCount = 0;
    std::string m_table; // encoded
    std::vector<Declared> m_tensors;
    std::uint64_t m_dataBytes = 0;
    std::size_t m_tensor = 0;          // being written
    std::uint64_t m_tensorWritten = 0; // bytes of it
    bool m_isFinished = false;
};

} // namespace engine::gguf

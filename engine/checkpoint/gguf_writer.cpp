#include "engine/checkpoint/gguf_writer.h"

#include "engine/base/display_text.h"
#include "engine/base/ensure.h"
#include "engine/base/failure.h"
#include "engine/output_place.h"

#include <fmt/format.h>
#include <system_error>

#include <array>
#include <cerrno>
#include <cstring>

namespace engine::gguf {

namespace {

template <class T>
void append(std::string& out, T value) {
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    out.append(bytes.data(), bytes.size());
}

void appendText(std::string& out, std::string_view text) {
    append(out, static_cast<std::uint64_t>(text.size()));
    out.append(text);
}

} // namespace

Writer::Writer(std::filesystem::path file)
    : m_file(std::move(file)),
      m_partial(outputPlace(m_file, ".partial")) {
    m_stream.open(m_partial, std::ios::binary | std::ios::trunc);
    if (!m_stream) {
        failToWrite();
    }
}

Writer::~Writer() {
    if (!m_isFinished && m_partial != m_file) {
        m_stream.close();
        std::error_code isGoneAnyway;
        std::filesystem::remove(m_partial, isGoneAnyway);
    }
}

void Writer::failToWrite() const {
    throw Failure(ErrorCode::Io,
                  fmt::format("{} can't be written: {}.", displayText(m_file.string(), 400),
                              std::strerror(errno == 0 ? EIO : errno)));
}

void Writer::addKey(std::string_view key, ValueType type) {
    appendText(m_pairs, key);
    append(m_pairs, static_cast<std::int32_t>(type));
    ++m_pairCount;
}

void Writer::addUnsigned(std::string_view key, std::uint32_t value) {
    addKey(key, ValueType::U32);
    append(m_pairs, value);
}

void Writer::addReal(std::string_view key, float value) {
    addKey(key, ValueType::F32);
    append(m_pairs, value);
}

void Writer::addBool(std::string_view key, bool value) {
    addKey(key, ValueType::Bool);
    append(m_pairs, static_cast<std::uint8_t>(value ? 1 : 0));
}

void Writer::addText(std::string_view key, std::string_view value) {
    addKey(key, ValueType::String);
    appendText(m_pairs, value);
}

void Writer::addArray(std::string_view key, ValueType elements, std::size_t count) {
    addKey(key, ValueType::Array);
    append(m_pairs, static_cast<std::int32_t>(elements));
    append(m_pairs, static_cast<std::uint64_t>(count));
}

void Writer::addTexts(std::string_view key, std::span<const std::string> values) {
    addArray(key, ValueType::String, values.size());
    for (const std::string& value : values) {
        appendText(m_pairs, value);
    }
}

void Writer::addIntegers(std::string_view key, std::span<const std::int32_t> values) {
    addArray(key, ValueType::I32, values.size());
    for (const std::int32_t value : values) {
        append(m_pairs, value);
    }
}

void Writer::addReals(std::string_view key, std::span<const float> values) {
    addArray(key, ValueType::F32, values.size());
    for (const float value : values) {
        append(m_pairs, value);
    }
}

void Writer::declareTensor(std::string_view name, kernels::Format format,
                           const kernels::Shape& shape) {
    appendText(m_table, name);
    append(m_table, static_cast<std::uint32_t>(shape.rank()));
    for (int i = shape.rank() - 1; i >= 0; --i) {
        append(m_table, shape[i]);
    }
    append(m_table, static_cast<std::int32_t>(kernels::traits(format).ggufType));
    append(m_table, m_dataBytes);
    const std::uint64_t bytes =
        kernels::formatBytes(format, static_cast<std::size_t>(shape.elements()));
    m_tensors.push_back(Declared{.name = std::string(name), .bytes = bytes});
    m_dataBytes += padded(bytes, kDefaultAlignment);
}

void Writer::put(std::span<const std::byte> bytes) {
    m_stream.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    if (!m_stream) {
        failToWrite();
    }
}

void Writer::writeHeader() {
    std::string header;
    append(header, kMagic);
    append(header, kVersion);
    append(header, static_cast<std::uint64_t>(m_tensors.size()));
    append(header, m_pairCount);
    header += m_pairs;
    header += m_table;
    header.resize(padded(header.size(), kDefaultAlignment), '\0');
    put(std::as_bytes(std::span(header)));
}

void Writer::writeData(std::span<const std::byte> bytes) {
    ensure(m_tensor < m_tensors.size(), "data after the last tensor");
    const std::uint64_t whole = m_tensors[m_tensor].bytes;
    ensure(bytes.size() <= whole - m_tensorWritten, "data crosses into the next tensor");
    put(bytes);
    m_tensorWritten += bytes.size();
    if (m_tensorWritten == whole) {
        constexpr std::array<std::byte, kDefaultAlignment> kZeros{};
        put(std::span(kZeros).first(padded(whole, kDefaultAlignment) - whole));
        ++m_tensor;
        m_tensorWritten = 0;
    }
}

void Writer::finish() {
    ensure(m_tensor == m_tensors.size(), "a tensor was declared and not written");
    m_stream.close();
    if (!m_stream) {
        failToWrite();
    }
    std::error_code problem;
    if (m_partial != m_file) {
        std::filesystem::rename(m_partial, m_file, problem);
    }
    if (problem) {
        throw Failure(ErrorCode::Io,
                      fmt::format("{} can't be put in place: {}.",
                                  displayText(m_file.string(), 400), problem.message()));
    }
    m_isFinished = true;
}

} // namespace engine::gguf

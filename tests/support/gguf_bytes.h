// Builds GGUF bytes field by field, valid or not: what the product's writer would never write.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

class GgufBytes {
public:
    template <class T>
    GgufBytes& put(T value) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        m_bytes.append(bytes, sizeof(T));
        return *this;
    }
    GgufBytes& text(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        m_bytes.append(text);
        return *this;
    }
    GgufBytes& header(std::int64_t tensors, std::int64_t pairs, std::uint32_t version = 3) {
        m_bytes.append("GGUF");
        return put(version).put(tensors).put(pairs);
    }
    // A pair whose value is one number; `type` is the file's id of T.
    template <class T>
    GgufBytes& pair(std::string_view key, std::int32_t type, T value) {
        return text(key).put(type).put(value);
    }
    GgufBytes& pairText(std::string_view key, std::string_view value) {
        return text(key).put(std::int32_t{8}).text(value);
    }
    GgufBytes& arrayHead(std::string_view key, std::int32_t elementType, std::uint64_t count) {
        return text(key).put(std::int32_t{9}).put(elementType).put(count);
    }
    // Dimensions innermost first, as the file has them.
    GgufBytes& tensor(std::string_view name, const std::vector<std::int64_t>& dims,
                      std::int32_t type, std::uint64_t offset) {
        text(name).put(static_cast<std::uint32_t>(dims.size()));
        for (const std::int64_t dim : dims) {
            put(dim);
        }
        return put(type).put(offset);
    }
    GgufBytes& padTo(std::size_t alignment) {
        m_bytes.resize((m_bytes.size() + alignment - 1) / alignment * alignment, '\0');
        return *this;
    }
    GgufBytes& fill(std::size_t count, char byte) {
        m_bytes.append(count, byte);
        return *this;
    }
    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

inline void writeFile(const std::filesystem::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace tests

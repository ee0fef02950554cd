// A cursor over untrusted bytes: every read is checked against what is left. Throws Failure. One
// thread.
#pragma once

#include "engine/base/failure.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace engine {

class ByteReader {
public:
    // `what` names the file in messages.
    ByteReader(std::span<const std::byte> bytes, std::string what)
        : m_bytes(bytes),
          m_what(std::move(what)) {}

    std::uint64_t position() const { return m_position; }
    std::uint64_t remaining() const { return m_bytes.size() - m_position; }
    const std::string& what() const { return m_what; }

    // The next little-endian value. `part` names what is being read, for the message.
    template <class T>
    T take(std::string_view part) {
        static_assert(std::is_arithmetic_v<T>, "only numbers are copied as they lie");
        T value;
        std::memcpy(&value, takeBytes(sizeof(T), part).data(), sizeof(T));
        return value;
    }

    std::span<const std::byte> takeBytes(std::uint64_t count, std::string_view part) {
        if (count > remaining()) {
            fail(ErrorCode::Corrupt,
                 fmt::format("the file ends inside {} (at byte {})", part, m_position));
        }
        const auto taken = m_bytes.subspan(m_position, count);
        m_position += count;
        return taken;
    }

    // A string with a 64-bit length in front; a view into the file.
    std::string_view takeString(std::string_view part, std::uint64_t limitBytes) {
        const auto length = take<std::uint64_t>(part);
        if (length > limitBytes) {
            fail(ErrorCode::Corrupt,
                 fmt::format("{} claims a length of {} bytes; at most {} are allowed", part, length,
                             limitBytes));
        }
        const auto bytes = takeBytes(length, part);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    [[noreturn]] void fail(ErrorCode code, const std::string& problem) const {
        throw Failure(code, fmt::format("{}: {}.", m_what, problem));
    }

private:
    std::span<const std::byte> m_bytes;
    std::uint64_t m_position = 0;
    std::string m_what;
};

} // namespace engine

// JSON from outside: of bounded size and depth, with messages that name the file and the key. Any
// thread.
#pragma once

#include "engine/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

// What a reader of a large document overrides: it sees the values one by one and keeps what it
// wants. Values of a kind that it does not expect end in a message that it words.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
public:
    // `what` begins every message.
    explicit JsonEvents(std::string what) : m_what(std::move(what)) {}

    bool null() override { unexpected("null"); }
    bool boolean(bool) override { unexpected("a truth value"); }
    bool number_integer(std::int64_t) override { unexpected("a negative number"); }
    bool number_unsigned(std::uint64_t) override { unexpected("a number"); }
    bool number_float(double, const std::string&) override { unexpected("a broken number"); }
    bool string(std::string&) override { unexpected("a text"); }
    bool binary(nlohmann::json::binary_t&) override { unexpected("bytes"); }
    bool start_object(std::size_t) override { unexpected("an object"); }
    bool start_array(std::size_t) override { unexpected("an array"); }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::json::exception& error) override;

    // Throw Failure.
    [[noreturn]] void unexpected(std::string_view what) const { fail(misplaced(what)); }
    [[noreturn]] void fail(const std::string& problem, ErrorCode code = ErrorCode::Corrupt) const;

protected:
    // "tensor X has null where its shape is expected"
    virtual std::string misplaced(std::string_view what) const = 0;

private:
    std::string m_what;
};

// Throws Failure for text that is no JSON. Depth is the reader's to bound.
void readJsonEvents(std::string_view text, JsonEvents& events);

// A small document as a tree: an object. Throws Failure for what is larger or nested deeper.
nlohmann::json parseJsonObject(std::string_view text, const std::string& what);
// The same of a file of at most kLargestDocument bytes; `null` where there is none.
nlohmann::json readJsonObject(const std::filesystem::path& file);
// The bytes of a regular file of at most so many; nothing where there is none. Throws Failure.
std::optional<std::string> readSmallFile(const std::filesystem::path& file,
                                         std::uint64_t limitBytes);

// Members of what may be anything: null, nothing or the other value where there is none of the
// kind.
nlohmann::json jsonChild(const nlohmann::json& object, const char* key);
std::optional<std::string> jsonText(const nlohmann::json& object, const char* key);
bool jsonFlag(const nlohmann::json& object, const char* key, bool otherwise);

constexpr std::uint64_t kLargestDocument = std::uint64_t{16} << 20;

} // namespace engine

#include "engine/checkpoint/json_input.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"

#include <fmt/format.h>

#include <fstream>

namespace engine {

namespace {

constexpr int kDeepest = 64; // config files need four

[[noreturn]] void refuse(const std::string& what, const std::string& problem, ErrorCode code) {
    throw Failure(code, fmt::format("{}: {}.", what, problem));
}

// Builds nothing: only sees that no value lies deeper than is bearable.
class DepthCheck final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit DepthCheck(const std::string& what) : m_what(what) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(nlohmann::json::binary_t&) override { return true; }
    bool key(std::string&) override { return true; }
    bool start_object(std::size_t) override { return deeper(); }
    bool start_array(std::size_t) override { return deeper(); }
    bool end_object() override { return higher(); }
    bool end_array() override { return higher(); }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception&) override {
        refuse(m_what, fmt::format("this is no JSON (at byte {})", position), ErrorCode::Corrupt);
    }

private:
    bool deeper() {
        if (++m_depth > kDeepest) {
            refuse(m_what, fmt::format("values are nested more than {} deep", kDeepest),
                   ErrorCode::Corrupt);
        }
        return true;
    }
    bool higher() {
        --m_depth;
        return true;
    }

    const std::string& m_what;
    int m_depth = 0;
};

} // namespace

bool JsonEvents::parse_error(std::size_t position, const std::string&,
                             const nlohmann::json::exception&) {
    fail(fmt::format("this is no JSON (at byte {})", position));
}

void JsonEvents::fail(const std::string& problem, ErrorCode code) const {
    refuse(m_what, problem, code);
}

nlohmann::json parseJsonObject(std::string_view text, const std::string& what) {
    if (text.size() > kLargestDocument) {
        refuse(what,
               fmt::format("it has {} bytes; at most {} are read", text.size(), kLargestDocument),
               ErrorCode::TooLarge);
    }
    DepthCheck check(what);
    nlohmann::json::sax_parse(text.begin(), text.end(), &check);
    auto document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object()) {
        refuse(what, "this is no JSON object", ErrorCode::Corrupt);
    }
    return document;
}

nlohmann::json readJsonObject(const std::filesystem::path& file) {
    const auto text = readSmallFile(file, kLargestDocument);
    return text ? parseJsonObject(*text, displayText(file.filename().string()))
                : nlohmann::json(nullptr);
}

nlohmann::json jsonChild(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nlohmann::json(nullptr) : *found;
}

std::optional<std::string> jsonText(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                       : std::nullopt;
}

bool jsonFlag(const nlohmann::json& object, const char* key, bool otherwise) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::optional<std::string> readSmallFile(const std::filesystem::path& file,
                                         std::uint64_t limitBytes) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        return std::nullopt;
    }
    const std::string shown = displayText(file.filename().string());
    // Regular files only: opening a pipe would wait for its writer.
    const bool isRegular = std::filesystem::is_regular_file(file, error);
    std::ifstream stream;
    if (isRegular) {
        stream.open(file, std::ios::binary);
    }
    if (!stream.is_open()) {
        refuse(shown, "it can't be read", ErrorCode::Io);
    }
    std::string text;
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    while (stream) {
        const std::size_t have = text.size();
        text.resize(have + kPiece);
        stream.read(text.data() + have, static_cast<std::streamsize>(kPiece));
        text.resize(have + static_cast<std::size_t>(stream.gcount()));
        if (text.size() > limitBytes) {
            refuse(shown, fmt::format("it has more than {} bytes", limitBytes),
                   ErrorCode::TooLarge);
        }
    }
    if (stream.bad()) {
        refuse(shown, "it can't be read", ErrorCode::Io);
    }
    return text;
}

} // namespace engine

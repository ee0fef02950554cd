// Typed look-ups in a config.json with messages that name file and key. Borrows the document.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine::hf {

class Values {
public:
    Values(const nlohmann::json& document, std::string what)
        : m_document(document),
          m_what(std::move(what)) {}

    const nlohmann::json& document() const { return m_document; }
    const std::string& what() const { return m_what; }

    bool has(std::string_view key) const { return !child(key).is_null(); }
    // Null where it is absent.
    const nlohmann::json& child(std::string_view key) const;
    // Empty where it is absent or null; throw Failure where it is of another kind. A whole number
    // may be spelled as a float.
    std::optional<std::int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const; // finite
    std::optional<bool> boolean(std::string_view key) const;
    std::optional<std::string> text(std::string_view key) const;
    std::optional<std::vector<std::string>> texts(std::string_view key) const;
    // Throws Failure where it is absent or out of bounds.
    std::int64_t needed(std::string_view key, std::int64_t minimum, std::int64_t maximum) const;

    // "config.json: the key K: <rule>."
    [[noreturn]] void refuse(std::string_view key, std::string_view rule) const;

private:
    const nlohmann::json& m_document;
    nlohmann::json m_null;
    std::string m_what;
};

} // namespace engine::hf

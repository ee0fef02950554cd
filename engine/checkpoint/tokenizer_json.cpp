#include "engine/checkpoint/tokenizer_json.h"

#include "engine/base/display_text.h"
#include "engine/checkpoint/json_input.h"

#include <fmt/format.h>

namespace engine::hf {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 20;
constexpr std::size_t kMostMerges = std::size_t{1} << 22;
constexpr std::size_t kMostValues = std::size_t{1} << 21; // of the rest
constexpr std::size_t kDeepest = 32;

class Reader final : public JsonEvents {
public:
    Reader(const std::string& what, TokenizerJson& result) : JsonEvents(what), m_result(result) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(std::int64_t value) override { return put(value); }
    bool number_float(double value, const std::string&) override { return put(value); }
    bool number_unsigned(std::uint64_t value) override {
        if (m_part != Part::Vocabulary) {
            return put(value);
        }
        if (value >= kMostTokens) {
            fail(fmt::format("token \"{}\" has the id {}; at most {} tokens are supported",
                             displayText(m_key), value, kMostTokens),
                 ErrorCode::TooLarge);
        }
        if (value >= m_result.tokens.size()) {
            m_result.tokens.resize(value + 1);
        }
        std::string& token = m_result.tokens[value];
        if (!token.empty()) {
            fail(fmt::format("the tokens \"{}\" and \"{}\" have the same id {}", displayText(token),
                             displayText(m_key), value));
        }
        token = std::move(m_key);
        return true;
    }
    bool string(std::string& value) override {
        if (m_part == Part::Pair) {
            m_pair.push_back(std::move(value));
            return true;
        }
        if (m_part != Part::Merges) {
            return put(std::move(value));
        }
        addMerge(std::move(value));
        return true;
    }
    bool key(std::string& text) override {
        m_key = std::move(text);
        return true;
    }

    bool start_object(std::size_t) override {
        if (m_part == Part::Rest && isInModel() && m_key == "vocab") {
            m_part = Part::Vocabulary;
            return true;
        }
        return open(json::object());
    }
    bool end_object() override {
        if (m_part == Part::Vocabulary) {
            m_part = Part::Rest;
            return true;
        }
        return close();
    }
    bool start_array(std::size_t) override {
        if (m_part == Part::Rest && isInModel() && m_key == "merges") {
            m_part = Part::Merges;
            return true;
        }
        if (m_part == Part::Rest && isInModel() && m_key == "vocab") {
            m_result.hasScores = true;
            m_part = Part::Skipped;
            m_skipped = 0;
            return true;
        }
        if (m_part == Part::Merges) {
            m_part = Part::Pair;
            m_pair.clear();
            return true;
        }
        return open(json::array());
    }
    bool end_array() override {
        if (m_part == Part::Pair) {
            endPair();
            return true;
        }
        if (m_part == Part::Merges || (m_part == Part::Skipped && m_skipped == 0)) {
            m_part = Part::Rest;
            return true;
        }
        return close();
    }

protected:
    std::string misplaced(std::string_view what) const override {
        return fmt::format("{} has {} where it can't be", placeText(), what);
    }

private:
    enum class Part : std::uint8_t { Rest, Vocabulary, Merges, Pair, Skipped };

    std::string placeText() const {
        switch (m_part) {
        case Part::Vocabulary:
            return fmt::format("the vocabulary at \"{}\"", displayText(m_key));
        case Part::Merges:
        case Part::Pair:
            return fmt::format("merge {}", m_result.merges.size());
        default:
            return fmt::format("the key \"{}\"", displayText(m_key));
        }
    }

    // The parents are the document and its object "model".
    bool isInModel() const { return m_open.size() == 2 && m_open[1] == m_model; }

    void addMerge(std::string merge) {
        if (m_result.merges.size() == kMostMerges) {
            fail(fmt::format("more than {} merges are not supported", kMostMerges),
                 ErrorCode::TooLarge);
        }
        m_result.merges.push_back(std::move(merge));
    }

    void endPair() {
        m_part = Part::Merges;
        if (m_pair.size() != 2) {
            unexpected("other than two texts");
        }
        if (m_pair[0].find(' ') != std::string::npos || m_pair[1].find(' ') != std::string::npos) {
            fail(fmt::format("merge {} has a space in it, which is not supported",
                             m_result.merges.size()),
                 ErrorCode::Unsupported);
        }
        addMerge(m_pair[0] + ' ' + m_pair[1]);
    }

    void refuseInLists(std::string_view what) {
        if (m_part == Part::Vocabulary || m_part == Part::Merges || m_part == Part::Pair) {
            unexpected(what);
        }
    }

    json* place(json value) {
        if (++m_values > kMostValues) {
            fail(fmt::format("more than {} values are not supported", kMostValues),
                 ErrorCode::TooLarge);
        }
        if (m_open.empty()) {
            m_result.rest = std::move(value);
            return &m_result.rest;
        }
        json& parent = *m_open.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        json& child = parent[m_key];
        child = std::move(value);
        return &child;
    }

    bool put(json value) {
        refuseInLists("a value");
        if (m_part == Part::Rest) {
            place(std::move(value));
        }
        return true;
    }

    bool open(json container) {
        refuseInLists("a list or an object");
        if (m_part == Part::Skipped) {
            ++m_skipped;
            return true;
        }
        if (m_open.size() == kDeepest) {
            fail(fmt::format("values are nested more than {} deep", kDeepest));
        }
        json* const child = place(std::move(container));
        if (m_open.size() == 1 && m_key == "model") {
            m_model = child;
        }
        m_open.push_back(child);
        return true;
    }

    bool close() {
        if (m_part == Part::Skipped) {
            --m_skipped;
        } else {
            m_open.pop_back();
        }
        return true;
    }

    TokenizerJson& m_result;
    Part m_part = Part::Rest;
    std::vector<json*> m_open;
    const json* m_model = nullptr;
    std::string m_key;
    std::vector<std::string> m_pair;
    std::size_t m_values = 0;
    std::size_t m_skipped = 0; // open lists of a part that is left out
};

} // namespace

TokenizerJson parseTokenizerJson(std::string_view text, const std::string& what) {
    TokenizerJson result;
    Reader reader(what, result);
    readJsonEvents(text, reader);
    if (!result.rest.is_object()) {
        reader.fail("this is no JSON object");
    }
    return result;
}

} // namespace engine::hf

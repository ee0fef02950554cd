// Large documents, value by value: a tokenizer's file has some 400,000, and reading it is a third
// of what its vocabulary takes. The fast parser accepts or refuses a document as a whole; what it
// refuses is read again by the other one, whose message names the byte.
#include "engine/checkpoint/json_input.h"

#include <simdjson.h>

namespace engine {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kUnknownSize = static_cast<std::size_t>(-1);

// Recursion is bounded: the parser refuses documents that are nested deeper.
class Walk {
public:
    explicit Walk(JsonEvents& events) : m_events(events) {}

    bool value(const dom::element& element) {
        switch (element.type()) {
        case dom::element_type::OBJECT:
            return object(dom::object(element));
        case dom::element_type::ARRAY:
            return array(dom::array(element));
        case dom::element_type::STRING:
            m_text = std::string_view(element);
            return m_events.string(m_text);
        case dom::element_type::INT64:
            return integer(std::int64_t(element));
        case dom::element_type::UINT64:
            return m_events.number_unsigned(std::uint64_t(element));
        case dom::element_type::DOUBLE:
            return m_events.number_float(double(element), {});
        case dom::element_type::BOOL:
            return m_events.boolean(bool(element));
        case dom::element_type::NULL_VALUE:
            return m_events.null();
        }
        return false;
    }

private:
    // The other parser tells apart by sign, this one by size.
    bool integer(std::int64_t number) {
        return number < 0 ? m_events.number_integer(number)
                          : m_events.number_unsigned(static_cast<std::uint64_t>(number));
    }
    bool object(const dom::object& members) {
        if (!m_events.start_object(kUnknownSize)) {
            return false;
        }
        for (const auto& [key, member] : members) {
            m_text = key;
            if (!m_events.key(m_text) || !value(member)) {
                return false;
            }
        }
        return m_events.end_object();
    }
    bool array(const dom::array& items) {
        if (!m_events.start_array(kUnknownSize)) {
            return false;
        }
        for (const dom::element item : items) {
            if (!value(item)) {
                return false;
            }
        }
        return m_events.end_array();
    }

    JsonEvents& m_events;
    std::string m_text;
};

} // namespace

void readJsonEvents(std::string_view text, JsonEvents& events) {
    constexpr std::size_t kDeepest = 512; // a reader's own bound is lower
    dom::parser parser;
    dom::element document;
    // The parser copies the text: it reads a little past the end.
    if (parser.allocate(text.size(), kDeepest) == simdjson::SUCCESS &&
        parser.parse(text.data(), text.size()).get(document) == simdjson::SUCCESS) {
        Walk(events).value(document);
        return;
    }
    nlohmann::json::sax_parse(text.begin(), text.end(), &events);
}

} // namespace engine

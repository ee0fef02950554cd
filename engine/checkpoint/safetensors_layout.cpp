#include "engine/checkpoint/safetensors_layout.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <unordered_set>

namespace engine::safetensors {

namespace {

using kernels::Format;

constexpr std::uint64_t kLongestHeader = 100'000'000; // the reference reader's
constexpr std::size_t kMostTensors = std::size_t{1} << 20;
constexpr std::size_t kMostDimensions = 8;
constexpr auto kMostElements = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

constexpr std::array kDtypes = {
    Dtype{"F32", 32, Format::F32},
    Dtype{"F16", 16, Format::F16},
    Dtype{"BF16", 16, Format::BF16},
    Dtype{"F64", 64, Format::F64},
    Dtype{"I8", 8, Format::I8},
    Dtype{"I16", 16, Format::I16},
    Dtype{"I32", 32, Format::I32},
    Dtype{"I64", 64, Format::I64},
    Dtype{kFloat8, 8, {}},
    Dtype{"F8_E5M2", 8, {}},
    Dtype{"F8_E8M0", 8, {}},
    Dtype{"BOOL", 8, {}},
    Dtype{"U8", 8, {}},
    Dtype{"U16", 16, {}},
    Dtype{"U32", 32, {}},
    Dtype{"U64", 64, {}},
    Dtype{"C64", 64, {}},
    Dtype{"F4", 4, {}},
    Dtype{"F6_E2M3", 6, {}},
    Dtype{"F6_E3M2", 6, {}},
};

// Walks the header: {"name": {"dtype": .., "shape": [..], "data_offsets": [a, b]}, ...} and nothing
// else, so that no claim of the file can make this keep more than the header's own bytes.
class HeaderReader final : public JsonEvents {
public:
    HeaderReader(const std::string& what, Layout& layout) : JsonEvents(what), m_layout(layout) {}

    bool start_object(std::size_t) override {
        switch (m_place) {
        case Place::Start:
            m_place = Place::Names;
            return true;
        case Place::Entry:
            m_place = m_tensor.name == kMetadata ? Place::Metadata : Place::Fields;
            return true;
        default:
            unexpected("an object");
        }
    }

    bool key(std::string& text) override {
        switch (m_place) {
        case Place::Names:
            startTensor(text);
            m_place = Place::Entry;
            return true;
        case Place::Metadata:
            m_field = text;
            return true;
        default:
            m_field = text;
            startField();
            return true;
        }
    }

    bool end_object() override {
        switch (m_place) {
        case Place::Names:
            m_place = Place::End;
            return true;
        case Place::Metadata:
            m_place = Place::Names;
            return true;
        default:
            finishTensor();
            m_place = Place::Names;
            return true;
        }
    }

    bool start_array(std::size_t) override {
        if (m_place == Place::Fields && (m_field == "shape" || m_field == "data_offsets")) {
            m_place = Place::Numbers;
            return true;
        }
        unexpected("an array");
    }

    bool end_array() override {
        m_place = Place::Fields;
        return true;
    }

    bool string(std::string& text) override {
        if (m_place == Place::Metadata) {
            return true;
        }
        if (m_place != Place::Fields || m_field != "dtype") {
            unexpected("a text");
        }
        m_tensor.dtype = findDtype(text);
        if (m_tensor.dtype == nullptr) {
            fail(fmt::format("tensor \"{}\" has the unknown dtype \"{}\"",
                             displayText(m_tensor.name), displayText(text)),
                 ErrorCode::Unsupported);
        }
        return true;
    }

    bool number_unsigned(std::uint64_t number) override {
        if (m_place != Place::Numbers) {
            unexpected("a number");
        }
        if (number > kMostElements) {
            fail(fmt::format("tensor \"{}\" has the number {} in its {}",
                             displayText(m_tensor.name), number, m_field));
        }
        auto& numbers = m_field == "shape" ? m_tensor.shape : m_offsets;
        if (numbers.size() == kMostDimensions) {
            fail(fmt::format("tensor \"{}\" has more than {} numbers in its {}",
                             displayText(m_tensor.name), kMostDimensions, m_field));
        }
        numbers.push_back(static_cast<std::int64_t>(number));
        return true;
    }

protected:
    std::string misplaced(std::string_view what) const override {
        return m_place == Place::Start || m_place == Place::Names || m_place == Place::End
                   ? fmt::format("the header has {} where a tensor's name is expected", what)
                   : fmt::format("tensor \"{}\" has {} where its dtype, shape and data_offsets are "
                                 "expected",
                                 displayText(m_tensor.name), what);
    }

private:
    enum class Place : std::uint8_t { Start, Names, Entry, Metadata, Fields, Numbers, End };
    static constexpr std::string_view kMetadata = "__metadata__";

    void startTensor(const std::string& name) {
        if (name.empty() || name.find('\0') != std::string::npos) {
            fail("a tensor has no usable name");
        }
        if (!m_names.insert(name).second) {
            fail(fmt::format("tensor \"{}\" occurs twice", displayText(name)));
        }
        if (m_names.size() > kMostTensors) {
            fail(fmt::format("more than {} tensors are not supported", kMostTensors),
                 ErrorCode::TooLarge);
        }
        m_tensor = TensorRecord{.name = name, .shape = {}};
        m_offsets.clear();
        m_seen.clear();
    }

    void startField() {
        if (m_field != "dtype" && m_field != "shape" && m_field != "data_offsets") {
            fail(fmt::format("tensor \"{}\" has the unknown field \"{}\"",
                             displayText(m_tensor.name), displayText(m_field)));
        }
        if (std::ranges::find(m_seen, m_field) != m_seen.end()) {
            fail(fmt::format("tensor \"{}\" has two fields \"{}\"", displayText(m_tensor.name),
                             m_field));
        }
        m_seen.push_back(m_field);
    }

    void finishTensor() {
        const std::string shown = displayText(m_tensor.name);
        if (m_seen.size() != 3 || m_offsets.size() != 2) {
            fail(
                fmt::format("tensor \"{}\" lacks a dtype, a shape or its two data_offsets", shown));
        }
        std::uint64_t elements = 1;
        for (const std::int64_t dim : m_tensor.shape) {
            const auto size = static_cast<std::uint64_t>(dim);
            if (size != 0 && elements > kMostElements / 64 / size) {
                fail(fmt::format("tensor \"{}\" has more elements than can be", shown));
            }
            elements *= size;
        }
        const std::uint64_t bits = elements * static_cast<std::uint64_t>(m_tensor.dtype->bits);
        m_tensor.bytes = bits / 8;
        m_tensor.begin = static_cast<std::uint64_t>(m_offsets[0]);
        const auto end = static_cast<std::uint64_t>(m_offsets[1]);
        if (bits % 8 != 0 || end < m_tensor.begin || end - m_tensor.begin != m_tensor.bytes) {
            fail(fmt::format("tensor \"{}\" lies from {} to {}, but its shape takes {} bytes",
                             shown, m_tensor.begin, end, m_tensor.bytes));
        }
        m_layout.tensors.push_back(std::move(m_tensor));
    }

    Layout& m_layout;
    Place m_place = Place::Start;
    TensorRecord m_tensor;
    std::vector<std::int64_t> m_offsets;
    std::string m_field;
    std::vector<std::string> m_seen; // fields of the tensor
    std::unordered_set<std::string> m_names;
};

[[noreturn]] void fail(const std::string& what, const std::string& problem) {
    throw Failure(ErrorCode::Corrupt, fmt::format("{}: {}.", what, problem));
}

// As the reference reader wants it: tensors follow each other from the first byte of the data to
// the last. So none overlaps another and none lies outside.
void place(Layout& layout, std::uint64_t dataBytes, const std::string& what) {
    std::ranges::stable_sort(layout.tensors, [](const TensorRecord& a, const TensorRecord& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.bytes < b.bytes;
    });
    std::uint64_t expected = 0;
    for (TensorRecord& tensor : layout.tensors) {
        if (tensor.begin != expected) {
            fail(what, fmt::format("tensor \"{}\" starts at {} instead of {}; tensors must follow "
                                   "each other without overlap or gap",
                                   displayText(tensor.name), tensor.begin, expected));
        }
        if (tensor.bytes > dataBytes - expected) {
            fail(what, fmt::format("tensor \"{}\" ends behind the end of the file; the file is cut "
                                   "short",
                                   displayText(tensor.name)));
        }
        expected += tensor.bytes;
        tensor.begin += layout.dataBegin;
    }
    if (expected != dataBytes) {
        fail(what, fmt::format("{} bytes follow after the last tensor", dataBytes - expected));
    }
}

} // namespace

const Dtype* findDtype(std::string_view name) {
    const auto* const found = std::ranges::find(kDtypes, name, &Dtype::name);
    return found == kDtypes.end() ? nullptr : found;
}

Layout parseLayout(std::span<const std::byte> file, const std::string& what) {
    std::uint64_t length = 0;
    if (file.size() < sizeof length) {
        fail(what, "the file is too short to be a safetensors file");
    }
    std::memcpy(&length, file.data(), sizeof length);
    if (length > kLongestHeader) {
        fail(what, fmt::format("the header claims {} bytes; at most {} are allowed", length,
                               kLongestHeader));
    }
    if (length > file.size() - sizeof length) {
        fail(what, fmt::format("the header claims {} bytes; the file is cut short", length));
    }
    const std::string_view header(reinterpret_cast<const char*>(file.data()) + sizeof length,
                                  length);
    if (!header.starts_with('{')) {
        fail(what, "the header does not begin with an object");
    }
    Layout layout;
    layout.dataBegin = sizeof length + length;
    HeaderReader reader(what + ": the header", layout);
    readJsonEvents(header, reader);
    place(layout, file.size() - layout.dataBegin, what);
    return layout;
}

} // namespace engine::safetensors

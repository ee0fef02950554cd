// The filter language of tables: words and comparisons such as `tag:cold ttft>100 -lane:batch`.
// All terms must hold. Values; main thread (messages are translated).
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

enum class FilterValue : std::uint8_t { Text, Number, Milliseconds };

struct FilterKey { // what may stand before the operator
    std::string_view name;
    FilterValue value = FilterValue::Text;
};

enum class FilterOperator : std::uint8_t { Is, Below, AtMost, Above, AtLeast };

struct FilterTerm {
    std::string key; // empty: a bare word, looked for everywhere
    FilterOperator comparison = FilterOperator::Is;
    std::vector<std::string> options; // lower case; any of them (`outcome:failed,rejected`)
    double number = 0.0;              // of numeric keys; times in milliseconds
    bool isNegated = false;           // `-tag:cold`
};

// `ttft>1.2s` and `ttft>1200` are the same; quotes keep spaces: label:"long prompts". The error
// names the term and the keys that exist.
engine::Result<std::vector<FilterTerm>> parseFilter(std::string_view text,
                                                    std::span<const FilterKey> keys);

// Without the term's negation. An absent number satisfies no comparison.
bool holds(const FilterTerm& term, std::optional<double> number);
// Equal to one of the options, ignoring ASCII case.
bool holds(const FilterTerm& term, std::string_view text);
// One of the options occurs in the text, ignoring ASCII case.
bool occurs(const FilterTerm& term, std::string_view text);

} // namespace app

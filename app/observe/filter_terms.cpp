#include "app/observe/filter_terms.h"

#include <QCoreApplication>
#include <QString>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace app {

namespace {

char lowerAscii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lowerAscii);
    return result;
}

engine::Error refuse(const QString& message) {
    return {engine::ErrorCode::Invalid, message.toStdString()};
}

QString quoted(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Splits at spaces outside quotes; quotes stay inside the words.
std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> result;
    std::size_t begin = 0;
    bool isQuoted = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const bool isEnd = i == text.size();
        if (!isEnd && text[i] == '"') {
            isQuoted = !isQuoted;
        }
        if (isEnd || (!isQuoted && (text[i] == ' ' || text[i] == '\t'))) {
            if (i > begin) {
                result.push_back(text.substr(begin, i - begin));
            }
            begin = i + 1;
        }
    }
    return result;
}

std::vector<std::string> splitOptions(std::string_view text) {
    std::vector<std::string> result;
    std::string option;
    bool isQuoted = false;
    for (const char c : text) {
        if (c == '"') {
            isQuoted = !isQuoted;
        } else if (c == ',' && !isQuoted) {
            result.push_back(std::move(option));
            option.clear();
        } else {
            option.push_back(lowerAscii(c));
        }
    }
    result.push_back(std::move(option));
    std::erase(result, std::string());
    return result;
}

std::optional<double> parseNumber(std::string_view text, FilterValue value) {
    double factor = 1.0;
    if (value == FilterValue::Milliseconds) {
        if (text.ends_with("ms")) {
            text.remove_suffix(2);
        } else if (text.ends_with("s")) {
            text.remove_suffix(1);
            factor = 1000.0;
        }
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
        return std::nullopt;
    }
    return number * factor;
}

QString keyList(std::span<const FilterKey> keys) {
    QString list;
    for (const FilterKey& key : keys) {
        list += (list.isEmpty() ? QString() : QStringLiteral(", ")) + quoted(key.name);
    }
    return list;
}

// Where `word` has its operator, and how long that is; npos for a bare word.
std::pair<std::size_t, std::size_t> findOperator(std::string_view word) {
    const std::size_t at = word.find_first_of(":=<>");
    if (at == std::string_view::npos || word.find('"') < at) {
        return {std::string_view::npos, 0};
    }
    const bool isLong = at + 1 < word.size() && word[at + 1] == '=' && word[at] != '=';
    return {at, isLong ? 2U : 1U};
}

FilterOperator toOperator(std::string_view sign) {
    if (sign == "<") {
        return FilterOperator::Below;
    }
    if (sign == "<=") {
        return FilterOperator::AtMost;
    }
    if (sign == ">") {
        return FilterOperator::Above;
    }
    return sign == ">=" ? FilterOperator::AtLeast : FilterOperator::Is;
}

engine::Result<FilterTerm> parseTerm(std::string_view word, std::span<const FilterKey> keys) {
    FilterTerm term;
    std::string_view rest = word;
    if (rest.size() > 1 && rest.front() == '-') {
        term.isNegated = true;
        rest.remove_prefix(1);
    }
    const auto [at, length] = findOperator(rest);
    if (at == std::string_view::npos) {
        term.options = splitOptions(rest);
        return term;
    }
    term.key = lowered(rest.substr(0, at));
    const auto key = std::ranges::find(keys, std::string_view(term.key), &FilterKey::name);
    if (key == keys.end()) {
        return std::unexpected(
            refuse(QCoreApplication::translate("filter", "“%1” is no filter. Known: %2.")
                       .arg(quoted(term.key), keyList(keys))));
    }
    term.comparison = toOperator(rest.substr(at, length));
    const std::string_view value = rest.substr(at + length);
    if (value.empty()) {
        return std::unexpected(
            refuse(QCoreApplication::translate("filter", "“%1” needs a value.").arg(quoted(word))));
    }
    if (key->value == FilterValue::Text) {
        if (term.comparison != FilterOperator::Is) {
            return std::unexpected(
                refuse(QCoreApplication::translate("filter", "“%1” is text: write %1:value.")
                           .arg(quoted(term.key))));
        }
        term.options = splitOptions(value);
        return term;
    }
    const std::optional<double> number = parseNumber(value, key->value);
    if (!number) {
        return std::unexpected(
            refuse(QCoreApplication::translate("filter", "“%1” is no number.").arg(quoted(value))));
    }
    term.number = *number;
    return term;
}

} // namespace

engine::Result<std::vector<FilterTerm>> parseFilter(std::string_view text,
                                                    std::span<const FilterKey> keys) {
    std::vector<FilterTerm> terms;
    for (const std::string_view word : words(text)) {
        auto term = parseTerm(word, keys);
        if (!term) {
            return std::unexpected(term.error());
        }
        if (!term->key.empty() || !term->options.empty()) {
            terms.push_back(std::move(*term));
        }
    }
    return terms;
}

bool holds(const FilterTerm& term, std::optional<double> number) {
    if (!number) {
        return false;
    }
    switch (term.comparison) {
    case FilterOperator::Is:
        // Stages are kept as float: "0.2" means what is shown as 0.2.
        return std::abs(*number - term.number) <= 1e-6 * std::max(1.0, std::abs(term.number));
    case FilterOperator::Below:
        return *number < term.number;
    case FilterOperator::AtMost:
        return *number <= term.number;
    case FilterOperator::Above:
        return *number > term.number;
    case FilterOperator::AtLeast:
        return *number >= term.number;
    }
    return false;
}

bool holds(const FilterTerm& term, std::string_view text) {
    return std::ranges::any_of(term.options, [text](const std::string& option) {
        return std::ranges::equal(option, text, {}, {}, lowerAscii);
    });
}

bool occurs(const FilterTerm& term, std::string_view text) {
    return std::ranges::any_of(term.options, [text](const std::string& option) {
        return !std::ranges::search(text, option, {}, lowerAscii).empty();
    });
}

} // namespace app

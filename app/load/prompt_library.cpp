#include "app/load/workload.h"

#include <QFile>

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace app {

namespace {

struct PromptSet {
    std::string_view name;
    // Measured with a vocabulary of 49k entries made mostly from English; a larger one packs more
    // bytes into a token. Lengths are wishes: records hold what the tokenizer made of them.
    double bytesPerToken;
};

constexpr std::array kPromptSets = {
    PromptSet{"english", 4.5},
    PromptSet{"chinese", 1.7},
    PromptSet{"code", 3.1},
};

bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

bool isUpper(char byte) {
    return byte >= 'A' && byte <= 'Z';
}

bool endsSentence(std::string_view text, std::size_t at) {
    constexpr std::array<std::string_view, 3> kWide = {"\u3002", "\uFF1F", "\uFF01"};
    for (const std::string_view mark : kWide) {
        if (at >= mark.size() && text.substr(at - mark.size(), mark.size()) == mark) {
            return true;
        }
    }
    return at >= 2 && text[at - 1] == ' ' && isUpper(text[at]) &&
           std::string_view(".?!").find(text[at - 2]) != std::string_view::npos;
}

// Where a passage may begin: after an empty line that a letter follows at once, and after the end
// of a sentence.
std::vector<std::size_t> passageStarts(std::string_view text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        const bool beginsBlock =
            at >= 2 && text[at - 1] == '\n' && text[at - 2] == '\n' && text[at] != ' ';
        const bool beginsSentence = text[at] != '\n' && endsSentence(text, at);
        if (beginsBlock || beginsSentence) {
            starts.push_back(at);
        }
    }
    return starts;
}

// Ends a passage between words where there are spaces, between characters elsewhere.
void trimToBoundary(std::string& passage, std::size_t wanted) {
    std::size_t end = std::min(wanted, passage.size());
    while (end > 0 && end < passage.size() && isContinuation(passage[end])) {
        --end;
    }
    const bool cutsWord = end > 0 && end < passage.size() &&
                          std::isalnum(static_cast<unsigned char>(passage[end])) != 0;
    if (cutsWord) {
        const std::size_t space = passage.find_last_of(" \n", end - 1);
        if (space != std::string::npos && space > wanted / 2) {
            end = space;
        }
    }
    passage.resize(end);
    while (!passage.empty() && (passage.back() == ' ' || passage.back() == '\n')) {
        passage.pop_back();
    }
}

} // namespace

std::vector<std::string> promptSetNames() {
    std::vector<std::string> names;
    for (const PromptSet& set : kPromptSets) {
        names.emplace_back(set.name);
    }
    return names;
}

engine::Result<PromptLibrary> PromptLibrary::fromResources() {
    PromptLibrary library;
    for (const PromptSet& set : kPromptSets) {
        QFile file(QStringLiteral(":/headway/prompts/%1.txt")
                       .arg(QLatin1String(set.name.data(), qsizetype(set.name.size()))));
        if (!file.open(QIODevice::ReadOnly)) {
            return std::unexpected(
                engine::Error{engine::ErrorCode::Internal,
                              "The prompt set \"" + std::string(set.name) +
                                  "\" is not part of this build; install the program again."});
        }
        Text text{.name = std::string(set.name),
                  .text = file.readAll().toStdString(),
                  .starts = {},
                  .bytesPerToken = set.bytesPerToken};
        text.starts = passageStarts(text.text);
        library.m_texts.push_back(std::move(text));
    }
    return library;
}

std::string PromptLibrary::passage(std::string_view set, int tokens, std::uint64_t draw) const {
    const auto found = std::find_if(m_texts.begin(), m_texts.end(),
                                    [&](const Text& text) { return text.name == set; });
    if (found == m_texts.end() || tokens < 1) {
        return {};
    }
    const auto wanted =
        std::max<std::size_t>(static_cast<std::size_t>(tokens * found->bytesPerToken), 4);
    const std::size_t start = found->starts[draw % found->starts.size()];
    // A few bytes more than wanted, so that the cut can see whether it falls inside a word.
    std::string passage = found->text.substr(start, wanted + 4);
    while (passage.size() < wanted + 4) {
        passage += '\n';
        passage.append(found->text, 0, wanted + 4 - passage.size());
    }
    trimToBoundary(passage, wanted);
    return passage;
}

std::vector<std::string> PromptLibrary::sets() const {
    std::vector<std::string> names;
    for (const Text& text : m_texts) {
        names.push_back(text.name);
    }
    return names;
}

std::uint64_t PromptLibrary::hash() const {
    std::uint64_t hash = 0;
    for (const Text& text : m_texts) {
        hash = XXH3_64bits_withSeed(text.text.data(), text.text.size(), hash);
    }
    return hash;
}

} // namespace app

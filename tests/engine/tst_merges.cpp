// The fast merging of symbols against a slow and obvious one, on random vocabularies.
#include "engine/base/utf8.h"
#include "engine/tokenizer/merge_symbols.h"
#include "tests/support/vocabulary_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using engine::SpecialTokens;
using engine::TokenId;

class TstMerges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergesAreTheNaiveOnes();
    void scoresAreTheNaiveOnes();
    void workOnOneLetterIsLinear();
    void mergesThatComeLateGoFirst();
    void atomicCharactersChangeNothing();
    void charactersSpelledAsThemselves();

private:
    std::filesystem::path path() const {
        return std::filesystem::path(m_folder.path().toStdString()) / "vocabulary.gguf";
    }
    QTemporaryDir m_folder;
};

namespace {

// Merges one word by rescanning it from the left for the best pair: slow and obviously right.
template <class Rank>
std::vector<std::string> naiveMerges(std::vector<std::string> symbols, const Rank& rankOf) {
    for (;;) {
        std::size_t best = symbols.size();
        double bestRank = 1e300;
        for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
            const double rank = rankOf(symbols[i], symbols[i + 1]);
            if (rank < bestRank) {
                bestRank = rank;
                best = i;
            }
        }
        if (best == symbols.size()) {
            return symbols;
        }
        symbols[best] += symbols[best + 1];
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

std::vector<std::string> charactersOf(std::string_view text) {
    std::vector<std::string> characters;
    while (!text.empty()) {
        const std::size_t length = engine::utf8Step(text).length;
        characters.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return characters;
}

} // namespace

void TstMerges::mergesAreTheNaiveOnes() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 30; ++round) {
        // Random merges over three letters: long chains, ties, merges that overlap.
        tests::ByteVocabulary vocabulary;
        std::map<std::pair<std::string, std::string>, double> ranks;
        std::vector<std::string> parts = {"a", "b", "c"};
        for (int i = 0; i < 25; ++i) {
            const std::string left = parts[random() % parts.size()];
            const std::string right = parts[random() % parts.size()];
            if (std::ranges::find(vocabulary.tokens, left + right) == vocabulary.tokens.end()) {
                vocabulary.merge(left, right);
                parts.push_back(left + right);
            } else {
                vocabulary.merges.push_back(left + " " + right); // another way to the same token
            }
            ranks.try_emplace({left, right}, static_cast<double>(vocabulary.merges.size()));
        }
        const auto tokenizer = tests::writtenTokenizer(
            path(), [&](engine::gguf::Writer& writer) { vocabulary.write(writer); });
        for (int texts = 0; texts < 40; ++texts) {
            std::string text;
            for (std::size_t left = 1 + random() % 60; left > 0; --left) {
                text += static_cast<char>('a' + random() % 3);
            }
            const auto expected =
                naiveMerges(charactersOf(text), [&](const std::string& a, const std::string& b) {
                    const auto found = ranks.find({a, b});
                    return found == ranks.end() ? 1e300 : found->second;
                });
            std::vector<std::string> pieces;
            for (const TokenId id : tokenizer->encode(text, SpecialTokens::Escape)) {
                pieces.emplace_back(tokenizer->pieceText(id));
            }
            QVERIFY2(pieces == expected, qPrintable(QString::number(seed)));
        }
    }
}

void TstMerges::scoresAreTheNaiveOnes() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 30; ++round) {
        std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
        std::vector<std::int32_t> kinds = {tests::kUnknown, tests::kControl, tests::kControl};
        std::vector<float> scores = {0, 0, 0};
        std::map<std::string, double> known;
        const auto add = [&](const std::string& token, std::int32_t kind, float score) {
            tokens.push_back(token);
            kinds.push_back(kind);
            scores.push_back(score);
            if (kind == tests::kNormal) {
                known.try_emplace(token, static_cast<double>(score));
            }
        };
        for (const char* byte : {"<0xC3>", "<0xA9>", "<0x0A>"}) {
            add(byte, tests::kByte, 0.0F);
        }
        for (const char* letter : {"a", "b", "c", "\xE2\x96\x81"}) {
            add(letter, tests::kNormal, -100.0F);
        }
        for (int i = 0; i < 30; ++i) {
            std::string token = tokens[6 + random() % (tokens.size() - 6)];
            token += tokens[6 + random() % (tokens.size() - 6)];
            if (std::ranges::find(tokens, token) == tokens.end()) {
                add(token, tests::kNormal, -static_cast<float>(random() % 12)); // ties on purpose
            }
        }
        const auto tokenizer = tests::writtenTokenizer(path(), [&](engine::gguf::Writer& writer) {
            writer.addText("tokenizer.ggml.model", "llama");
            writer.addTexts("tokenizer.ggml.tokens", tokens);
            writer.addIntegers("tokenizer.ggml.token_type", kinds);
            writer.addReals("tokenizer.ggml.scores", scores);
            writer.addBool("tokenizer.ggml.add_space_prefix", false);
        });
        for (int texts = 0; texts < 40; ++texts) {
            std::string text;
            for (std::size_t left = 1 + random() % 60; left > 0; --left) {
                const auto kind = random() % 12;
                text += kind == 0   ? "\xC3\xA9"
                        : kind == 1 ? " "
                        : kind == 2 ? "\n"
                                    : std::string(1, static_cast<char>('a' + random() % 3));
            }
            std::string spelled;
            for (const char c : text) {
                spelled += c == ' ' ? "\xE2\x96\x81" : std::string(1, c);
            }
            const auto symbols =
                naiveMerges(charactersOf(spelled), [&](const std::string& a, const std::string& b) {
                    const auto found = known.find(a + b);
                    return found == known.end() ? 1e300 : -found->second;
                });
            std::vector<std::string> expected;
            for (const std::string& symbol : symbols) {
                if (symbol == "\xC3\xA9") {
                    expected.insert(expected.end(), {"<0xC3>", "<0xA9>"});
                } else {
                    expected.push_back(symbol == "\n" ? "<0x0A>" : symbol);
                }
            }
            const auto ids = tokenizer->encode(text, SpecialTokens::Escape);
            std::vector<std::string> pieces;
            for (const TokenId id : ids) {
                pieces.emplace_back(tokenizer->pieceText(id));
            }
            QVERIFY2(pieces == expected, qPrintable(QString::number(seed)));
            QCOMPARE(engine::detokenize(*tokenizer, ids), text);
        }
    }
}

namespace {

// A run of one letter: (k, k) makes 2k. Counts how often it is asked.
struct Doubling {
    std::size_t& asked;
    std::uint32_t priorityOf(const engine::Symbol& left, const engine::Symbol& right) const {
        ++asked;
        return left.id == right.id ? static_cast<std::uint32_t>(left.id) : engine::kNeverMerged;
    }
    std::int32_t merged(const engine::Symbol& left, const engine::Symbol&) const {
        return 2 * left.id;
    }
};

std::size_t askedFor(std::uint32_t letters) {
    engine::MergeScratch scratch;
    for (std::uint32_t i = 0; i < letters; ++i) {
        scratch.symbols.push_back({.id = 1, .begin = i, .end = i + 1});
    }
    std::size_t asked = 0;
    engine::mergeSymbols(scratch, Doubling{asked});
    return asked;
}

} // namespace

// Counted, not timed: each merge asks about two pairs at most, and there are fewer merges than
// letters.
void TstMerges::workOnOneLetterIsLinear() {
    for (const std::uint32_t letters : {1000U, 2000U, 64'000U, 128'000U}) {
        QVERIFY(askedFor(letters) <= 3 * std::size_t{letters});
    }
    QVERIFY(askedFor(0) == 0);
}

namespace {

// Symbols are numbers; a table says what pairs make and when.
struct Listed {
    const std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint32_t, std::int32_t>>&
        rules;
    std::uint32_t priorityOf(const engine::Symbol& left, const engine::Symbol& right) const {
        const auto found = rules.find({left.id, right.id});
        return found == rules.end() ? engine::kNeverMerged : found->second.first;
    }
    std::int32_t merged(const engine::Symbol& left, const engine::Symbol& right) const {
        return rules.at({left.id, right.id}).second;
    }
};

} // namespace

// Merges that make a better pair possible than the one at work, all over a long word: positions
// come back out of order.
void TstMerges::mergesThatComeLateGoFirst() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 200; ++round) {
        std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::uint32_t, std::int32_t>>
            rules;
        std::int32_t next = 3;
        for (int i = 0; i < 12; ++i) {
            const auto left = static_cast<std::int32_t>(random() % static_cast<unsigned>(next));
            const auto right = static_cast<std::int32_t>(random() % static_cast<unsigned>(next));
            // Few priorities, so that pairs share them, and in no order.
            if (rules.try_emplace({left, right}, static_cast<std::uint32_t>(random() % 6), next)
                    .second) {
                ++next;
            }
        }
        engine::MergeScratch scratch;
        std::vector<std::int32_t> word;
        for (std::uint32_t i = 0; i < 150; ++i) {
            word.push_back(static_cast<std::int32_t>(random() % 3));
            scratch.symbols.push_back({.id = word.back(), .begin = i, .end = i + 1});
        }
        engine::mergeSymbols(scratch, Listed{rules});
        for (;;) {
            std::size_t best = word.size();
            std::uint32_t bestPriority = engine::kNeverMerged;
            for (std::size_t i = 0; i + 1 < word.size(); ++i) {
                const auto found = rules.find({word[i], word[i + 1]});
                if (found != rules.end() && found->second.first < bestPriority) {
                    bestPriority = found->second.first;
                    best = i;
                }
            }
            if (best == word.size()) {
                break;
            }
            word[best] = rules.at({word[best], word[best + 1]}).second;
            word.erase(word.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        }
        std::vector<std::int32_t> merged;
        for (const engine::Symbol& symbol : scratch.symbols) {
            if (!symbol.isGone()) {
                merged.push_back(symbol.id);
            }
        }
        QVERIFY2(merged == word, qPrintable(QString::number(seed)));
        QVERIFY(scratch.isEmpty());
    }
}

// Merges over the bytes of a few characters, in any order and across their borders: characters that
// are taken whole must not show.
void TstMerges::atomicCharactersChangeNothing() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    const std::vector<std::string> characters = {"\xE4\xB8\xAD", "\xE4\xB8\x80", "\xE3\x81\x82",
                                                 "\xC3\xA9", "a"};
    for (int round = 0; round < 300; ++round) {
        tests::ByteVocabulary vocabulary;
        std::map<std::pair<std::string, std::string>, double> ranks;
        std::vector<std::string> parts;
        for (const char byte : std::string("\xE4\xB8\xAD\x80\xE3\x81\x82\xC3\xA9"
                                           "a")) {
            parts.push_back(engine::byteSpelling(static_cast<std::uint8_t>(byte)));
        }
        // By value: the parts it comes from move when another is added.
        const auto add = [&](std::string left, std::string right) {
            constexpr std::size_t kLongest = 40; // or they would double and double
            if (left.size() + right.size() < kLongest &&
                std::ranges::find(vocabulary.tokens, left + right) == vocabulary.tokens.end()) {
                vocabulary.merge(left, right);
                parts.push_back(left + right);
                ranks.try_emplace({left, right}, static_cast<double>(vocabulary.merges.size()));
            }
        };
        for (int i = 0; i < 30; ++i) {
            // Mostly within a character, so that whole ones arise.
            const std::string& character = characters[random() % 4];
            const std::size_t cut = 1 + random() % (character.size() - 1);
            const auto spelled = [](const std::string& bytes) {
                std::string text;
                for (const char byte : bytes) {
                    text += engine::byteSpelling(static_cast<std::uint8_t>(byte));
                }
                return text;
            };
            if (random() % 3 != 0) {
                const std::string left = spelled(character.substr(0, cut));
                const std::string right = spelled(character.substr(cut));
                if (std::ranges::find(parts, left) != parts.end() &&
                    std::ranges::find(parts, right) != parts.end()) {
                    add(left, right);
                    continue;
                }
                add(spelled(character.substr(0, 1)), spelled(character.substr(1, 1)));
            } else {
                add(parts[random() % parts.size()], parts[random() % parts.size()]);
            }
        }
        const auto tokenizer = tests::writtenTokenizer(
            path(), [&](engine::gguf::Writer& writer) { vocabulary.write(writer); });
        for (int texts = 0; texts < 20; ++texts) {
            std::string text = "\xE4\xB8\xAD";
            for (std::size_t left = random() % 20; left > 0; --left) {
                text += characters[random() % characters.size()];
            }
            std::vector<std::string> symbols;
            for (const char byte : text) {
                symbols.push_back(engine::byteSpelling(static_cast<std::uint8_t>(byte)));
            }
            const auto expected =
                naiveMerges(symbols, [&](const std::string& a, const std::string& b) {
                    const auto found = ranks.find({a, b});
                    return found == ranks.end() ? 1e300 : found->second;
                });
            std::vector<std::string> pieces;
            for (const TokenId id : tokenizer->encode(text, SpecialTokens::Escape)) {
                pieces.emplace_back(tokenizer->pieceText(id));
            }
            QVERIFY2(pieces == expected, qPrintable(QString::number(seed)));
        }
    }
}

// A file that spells characters as themselves instead of by their bytes, with merges of broken
// halves: such tokens are out of every text's reach, and none of them writes outside the table of
// characters.
void TstMerges::charactersSpelledAsThemselves() {
    const std::vector<std::pair<std::string, std::string>> halves = {
        {"\xF4\x8F", "\xBF\xBF"},         // U+10FFFF
        {"\xF0\x9F", "\x98\x80"},         // U+1F600
        {"\xF0", "\x90\x80\x80"},         // U+10000, the first beyond the table
        {"\xEF\xBF", "\xBF"},             // U+FFFF, its last
        {"\xE4\xB8", "\xAD"},             // U+4E2D
        {"\xF4\x90", "\x80\x80"},         // no character
        {"\xC4", "\xA0\xF0\x9F\x98\x80"}, // a byte and more
    };
    tests::ByteVocabulary vocabulary;
    for (const auto& [left, right] : halves) {
        vocabulary.add(left);
        vocabulary.add(right);
        vocabulary.merge(left, right);
    }
    const auto tokenizer = tests::writtenTokenizer(
        path(), [&](engine::gguf::Writer& writer) { vocabulary.write(writer); });
    for (const char* text : {"\xF4\x8F\xBF\xBF", "\xF0\x9F\x98\x80", "\xF0\x90\x80\x80",
                             "\xEF\xBF\xBF", "\xE4\xB8\xAD"}) {
        std::vector<TokenId> bytes;
        for (const char byte : std::string(text)) {
            bytes.push_back(static_cast<TokenId>(static_cast<unsigned char>(byte)));
        }
        QVERIFY(tokenizer->encode(text, SpecialTokens::Escape) == bytes);
    }
}

QTEST_APPLESS_MAIN(TstMerges)
#include "tst_merges.moc"

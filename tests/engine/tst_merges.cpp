// The fast merging of symbols against a slow and obvious one, on random vocabularies.
#include "engine/base/utf8.h"
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

QTEST_APPLESS_MAIN(TstMerges)
#include "tst_merges.moc"

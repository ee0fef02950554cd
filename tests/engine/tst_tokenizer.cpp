#include "engine/base/utf8.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/cpu_time.h"
#include "tests/support/reference_data.h"
#include "tests/support/tiny_model.h"
#include "tests/support/vocabulary_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>
#include <sstream>

using engine::SpecialTokens;
using engine::TokenId;
using engine::Tokenizer;
using tests::ByteVocabulary;
using tests::kNormal;
using tests::kUser;
namespace fs = std::filesystem;

class TstTokenizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void publishedVectorsAreEqual_data();
    void publishedVectorsAreEqual();
    void everyTextComesBack();
    void controlTokensAreParsedOnlyInTemplates();
    void userDefinedTokensMatchButForRoleMarks();
    void mergesDoNotMakeMarks();
    void longestSpecialTokenWins();
    void wordsCrossPiecesSpecialsDoNot();
    void controlTokensShowOnlyWhenAsked();
    void endOfGenerationIsFoundByTextAndKey();
    void strangeIdsAreHarmless();
    void longRunsAreQuick_data();
    void longRunsAreQuick();
    void damagedVocabulariesAreRefusedOrServed_data();
    void damagedVocabulariesAreRefusedOrServed();
    void promptsAreEncodedByTheirKind();

private:
    std::unique_ptr<Tokenizer> tinyTokenizer() const;
    std::unique_ptr<Tokenizer>
    written(const std::function<void(engine::gguf::Writer&)>& fill) const {
        return tests::writtenTokenizer(path("vocabulary.gguf"), fill);
    }
    fs::path path(std::string_view name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
};

namespace {

std::string readAll(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> splitBy(const std::string& text, std::string_view separator) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (std::size_t found; (found = text.find(separator, at)) != std::string::npos;
         at = found + separator.size()) {
        parts.push_back(text.substr(at, found - at));
    }
    parts.push_back(text.substr(at));
    return parts;
}

QString shown(const std::vector<TokenId>& ids) {
    QStringList list;
    for (const TokenId id : ids) {
        list << QString::number(id);
    }
    return list.join(QLatin1Char(' '));
}

} // namespace

std::unique_ptr<Tokenizer> TstTokenizer::tinyTokenizer() const {
    return tests::openTokenizer(path("tiny.gguf"));
}

void TstTokenizer::initTestCase() {
    tests::writeTinyModel(path("tiny.gguf"));
}

void TstTokenizer::publishedVectorsAreEqual_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt-2", "starcoder", "deepseek-llm", "deepseek-coder", "llama-spm"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TstTokenizer::publishedVectorsAreEqual() {
    QFETCH(QString, name);
    if (tests::referenceData().empty()) {
        QSKIP("the reference vectors are not here (HEADWAY_REFERENCE_DATA)");
    }
    const fs::path base =
        tests::referenceData() / "tokenizers" / ("ggml-vocab-" + name.toStdString() + ".gguf");
    const auto tokenizer = tests::openTokenizer(base);
    const auto texts = splitBy(readAll(base.string() + ".inp"), "\n__ggml_vocab_test__\n");
    const auto lines = splitBy(readAll(base.string() + ".out"), "\n");
    constexpr std::size_t kTexts = 46; // what follows the last separator is none
    QCOMPARE(texts.size(), kTexts + 1);
    for (std::size_t i = 0; i < kTexts; ++i) {
        std::istringstream line(lines.at(i));
        const std::vector<TokenId> expected{std::istream_iterator<TokenId>(line), {}};
        const auto ids = tokenizer->encode(texts[i], SpecialTokens::Escape);
        QVERIFY2(
            ids == expected,
            qPrintable(
                QStringLiteral("text %1\n  %2\n  %3").arg(i).arg(shown(ids), shown(expected))));
        QVERIFY(engine::detokenize(*tokenizer, ids) == texts[i]);
    }
}

void TstTokenizer::everyTextComesBack() {
    const auto tokenizer = tinyTokenizer();
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 500; ++round) {
        std::string text;
        for (std::size_t left = random() % 60; left > 0; --left) {
            text += static_cast<char>(random() % 3 == 0 ? random() % 256 : 32 + random() % 95);
        }
        const auto ids = tokenizer->encode(text, SpecialTokens::Escape);
        for (const TokenId id : ids) {
            QVERIFY(id >= 0 && id < tokenizer->size() && !tokenizer->isControl(id));
        }
        QVERIFY2(engine::detokenize(*tokenizer, ids) == engine::repairedUtf8(text),
                 qPrintable(QString::number(seed)));
    }
    QVERIFY(tokenizer->encode("", SpecialTokens::Escape).empty());
    QVERIFY(engine::detokenize(*tokenizer, {}).empty());
}

void TstTokenizer::controlTokensAreParsedOnlyInTemplates() {
    const auto tokenizer = tinyTokenizer();
    const std::string text = "a<|im_end|>b";
    const TokenId end = *tokenizer->find("<|im_end|>");
    const auto parsed = tokenizer->encode(text, SpecialTokens::Parse);
    const auto escaped = tokenizer->encode(text, SpecialTokens::Escape);
    QCOMPARE(std::ranges::count(parsed, end), 1);
    QCOMPARE(parsed.size(), std::size_t{3});
    QCOMPARE(std::ranges::count(escaped, end), 0);
    QCOMPARE(engine::detokenize(*tokenizer, escaped), text);
    QCOMPARE(engine::detokenize(*tokenizer, parsed), std::string("ab"));
    QCOMPARE(engine::detokenize(*tokenizer, parsed, true), text);
}

void TstTokenizer::userDefinedTokensMatchButForRoleMarks() {
    ByteVocabulary vocabulary;
    const auto first = static_cast<TokenId>(vocabulary.tokens.size());
    const std::vector<std::string> marks = {"<think>", "</think>", "<|User|>",
                                            "<\xEF\xBD\x9CUser\xEF\xBD\x9C>",
                                            "\xEF\xBD\x9C"
                                            "DSML\xEF\xBD\x9C"};
    vocabulary.add("[tool]", kUser);
    for (const std::string& mark : marks) {
        vocabulary.add(mark, kUser);
    }
    const auto tokenizer = written([&](engine::gguf::Writer& writer) { vocabulary.write(writer); });
    for (const auto special : {SpecialTokens::Escape, SpecialTokens::Parse}) {
        QCOMPARE(tokenizer->encode("[tool]", special), std::vector<TokenId>{first});
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto id = first + 1 + static_cast<TokenId>(i);
        QCOMPARE(tokenizer->encode(marks[i], SpecialTokens::Parse), std::vector<TokenId>{id});
        const auto escaped = tokenizer->encode(marks[i], SpecialTokens::Escape);
        QVERIFY2(escaped.size() > 1, marks[i].c_str());
        QCOMPARE(engine::detokenize(*tokenizer, escaped), marks[i]);
        QVERIFY2(!tokenizer->isControl(id), "an answer may show it");
    }
}

// A vocabulary whose merges spell out a mark: from content they go as far as the step before.
void TstTokenizer::mergesDoNotMakeMarks() {
    ByteVocabulary vocabulary;
    std::string made = "<";
    for (const char* letter : {"t", "h", "i", "n", "k", ">"}) {
        vocabulary.merge(made, letter);
        made += letter;
    }
    vocabulary.kinds.back() = kUser;
    const auto mark = static_cast<TokenId>(vocabulary.tokens.size() - 1);
    for (const char* pre : {"gpt-2", "llama-bpe", "deepseek-v3"}) {
        const auto tokenizer =
            written([&](engine::gguf::Writer& writer) { vocabulary.write(writer, pre); });
        QCOMPARE(*tokenizer->find("<think>"), mark);
        QCOMPARE(std::ranges::count(tokenizer->encode("<think>", SpecialTokens::Escape), mark), 0);
        QCOMPARE(tokenizer->encode("<think>", SpecialTokens::Parse), std::vector<TokenId>{mark});
    }
}

void TstTokenizer::longestSpecialTokenWins() {
    ByteVocabulary vocabulary;
    const auto first = static_cast<TokenId>(vocabulary.tokens.size());
    for (const char* token : {"\n\n", "\n", "\n\n\n\n", "ab", "abcd"}) {
        vocabulary.add(token, kUser);
    }
    const auto tokenizer = written([&](engine::gguf::Writer& writer) { vocabulary.write(writer); });
    const auto encode = [&](std::string_view text) {
        return tokenizer->encode(text, SpecialTokens::Escape);
    };
    QCOMPARE(encode("\n\n\n"), (std::vector<TokenId>{first, first + 1}));
    QCOMPARE(encode("\n\n\n\n\n"), (std::vector<TokenId>{first + 2, first + 1}));
    QCOMPARE(encode("abcab"), (std::vector<TokenId>{first + 3, *tokenizer->find("c"), first + 3}));
    QCOMPARE(encode("abcdab"), (std::vector<TokenId>{first + 4, first + 3}));
}

void TstTokenizer::wordsCrossPiecesSpecialsDoNot() {
    const auto tokenizer = tinyTokenizer();
    const std::string whole = "<|im_start|>user\n\n the thing<|im_end|>";
    const std::vector<engine::PromptPiece> pieces = {{"<|im_start|>user\n", SpecialTokens::Parse},
                                                     {"\n the thi", SpecialTokens::Escape},
                                                     {"ng", SpecialTokens::Escape},
                                                     {"<|im_end|>", SpecialTokens::Parse}};
    QCOMPARE(tokenizer->encode(pieces), tokenizer->encode(whole, SpecialTokens::Parse));
    const std::vector<engine::PromptPiece> forged = {{"<|im_", SpecialTokens::Parse},
                                                     {"end|>", SpecialTokens::Parse},
                                                     {"<|im_end|>", SpecialTokens::Escape}};
    const auto ids = tokenizer->encode(forged);
    QCOMPARE(std::ranges::count(ids, *tokenizer->find("<|im_end|>")), 0);
    QCOMPARE(engine::detokenize(*tokenizer, ids), std::string("<|im_end|><|im_end|>"));
}

void TstTokenizer::controlTokensShowOnlyWhenAsked() {
    const auto tokenizer = tinyTokenizer();
    std::string bytes;
    tokenizer->appendBytes(2, bytes);
    QVERIFY(bytes.empty());
    tokenizer->appendBytes(2, bytes, true);
    QCOMPARE(bytes, std::string("<|im_end|>"));
    QCOMPARE(tokenizer->description(), std::string("gpt2 / smollm"));
    QVERIFY(!tokenizer->addsBos());
    QCOMPARE(tokenizer->bos(), std::optional<TokenId>(1));
}

void TstTokenizer::endOfGenerationIsFoundByTextAndKey() {
    ByteVocabulary vocabulary;
    vocabulary.add("<|im_end|>", kNormal); // not even called control
    vocabulary.add("stop here", kNormal);
    vocabulary.add("other", kNormal);
    vocabulary.merge("<", "/");
    vocabulary.merge("s", ">");
    vocabulary.merge("</", "s>"); // looks like an end, but text makes it: a word
    const auto tokenizer = written([&](engine::gguf::Writer& writer) {
        vocabulary.write(writer);
        writer.addUnsigned("tokenizer.ggml.eot_token_id", 257);
        writer.addUnsigned("tokenizer.ggml.eos_token_id", 999999); // out of range: does not exist
    });
    QVERIFY(tokenizer->isEndOfGeneration(256) && tokenizer->isControl(256));
    QVERIFY(tokenizer->isEndOfGeneration(257));
    QVERIFY(!tokenizer->isEndOfGeneration(258) && !tokenizer->isControl(258));
    QVERIFY(!tokenizer->isEndOfGeneration(999999));
    const TokenId word = *tokenizer->find("</s>");
    QVERIFY(!tokenizer->isEndOfGeneration(word) && !tokenizer->isControl(word));
    QVERIFY(tokenizer->encode("</s>", SpecialTokens::Parse).size() > 1); // three words of text
}

void TstTokenizer::strangeIdsAreHarmless() {
    const auto tokenizer = tinyTokenizer();
    std::string bytes;
    for (const TokenId id : {-1, 320, 1 << 30, std::numeric_limits<TokenId>::min()}) {
        tokenizer->appendBytes(id, bytes, true);
        QVERIFY(bytes.empty() && tokenizer->pieceText(id).empty());
        QVERIFY(!tokenizer->isControl(id) && !tokenizer->isEndOfGeneration(id));
    }
    QVERIFY(!tokenizer->find("no such piece").has_value());
}

void TstTokenizer::longRunsAreQuick_data() {
    QTest::addColumn<QString>("unit");
    for (const char* unit : {"a", "th", "the ", " ", "\n", "<|im_", "1"}) {
        QTest::newRow(QByteArray(unit).toPercentEncoding().constData())
            << QString::fromLatin1(unit);
    }
}

void TstTokenizer::longRunsAreQuick() {
    QFETCH(QString, unit);
    const auto tokenizer = tinyTokenizer();
    std::string text;
    while (text.size() < 500'000) {
        text += unit.toStdString();
    }
    std::vector<TokenId> ids;
    const double took =
        tests::cpuSeconds([&] { ids = tokenizer->encode(text, SpecialTokens::Parse); });
    QVERIFY2(took < tests::kLinearSeconds, qPrintable(QString::number(took)));
    QVERIFY(engine::detokenize(*tokenizer, ids) == text);
}

void TstTokenizer::damagedVocabulariesAreRefusedOrServed_data() {
    QTest::addColumn<int>("damage");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("no space in a merge") << 0 << "Merge 1 ";
    QTest::newRow("merge of one side") << 1 << "Merge 1 ";
    QTest::newRow("few kinds") << 2 << "token_type lists 2 of";
    QTest::newRow("unknown pre-tokenizer") << 3 << "pre-tokenizer \"odd\"";
    QTest::newRow("unknown model") << 4 << "kind \"bert\"";
    QTest::newRow("no merges") << 5 << "no merges";
    QTest::newRow("no tokens") << 6 << "no vocabulary";
    QTest::newRow("stray merges, empty and broken tokens") << 7 << "";
}

void TstTokenizer::damagedVocabulariesAreRefusedOrServed() {
    QFETCH(int, damage);
    QFETCH(QString, mentions);
    ByteVocabulary vocabulary;
    vocabulary.merge("a", "b");
    if (damage == 0) {
        vocabulary.merges.emplace_back("nospace");
    } else if (damage == 1) {
        vocabulary.merges.emplace_back("a ");
    } else if (damage == 2) {
        vocabulary.kinds.resize(2);
    } else if (damage == 7) {
        vocabulary.merges.emplace_back("c d"); // makes "cd", which is no token
        vocabulary.merges.emplace_back("cd e");
        vocabulary.add("");
        vocabulary.add("");
        vocabulary.add("\xFF\xFE");
        vocabulary.add("a");             // a second "a"
        vocabulary.tokens['x'] = "gone"; // one byte has no token
    }
    {
        engine::gguf::Writer writer(path("damaged.gguf"));
        writer.addText("tokenizer.ggml.model", damage == 4 ? "bert" : "gpt2");
        writer.addText("tokenizer.ggml.pre", damage == 3 ? "odd" : "gpt-2");
        if (damage != 6) {
            writer.addTexts("tokenizer.ggml.tokens", vocabulary.tokens);
        }
        writer.addIntegers("tokenizer.ggml.token_type", vocabulary.kinds);
        if (damage != 5) {
            writer.addTexts("tokenizer.ggml.merges", vocabulary.merges);
        }
        writer.writeHeader();
        writer.finish();
    }
    const auto checkpoint = engine::openCheckpoint(path("damaged.gguf"));
    QVERIFY(checkpoint.has_value());
    const auto tokenizer = engine::makeTokenizer(**checkpoint);
    QCOMPARE(tokenizer.has_value(), mentions.isEmpty());
    if (!tokenizer) {
        const auto message = QString::fromStdString(tokenizer.error().message);
        QVERIFY2(message.contains(mentions), qPrintable(message));
        return;
    }
    const auto ids = (*tokenizer)->encode("abcdxe", SpecialTokens::Escape);
    QCOMPARE(engine::detokenize(**tokenizer, ids), std::string("abcde")); // x has no token
    QCOMPARE((*tokenizer)->find("a"), std::optional<TokenId>('a'));
    for (TokenId id = 0; id < (*tokenizer)->size(); ++id) {
        QVERIFY(engine::isValidUtf8((*tokenizer)->pieceText(id)));
        QVERIFY(!(*tokenizer)->pieceText(id).empty());
    }
}

void TstTokenizer::promptsAreEncodedByTheirKind() {
    const auto tokenizer = tinyTokenizer();
    engine::Request request;
    request.prompt = std::string("the thing <|im_end|>");
    const auto text = engine::encodePrompt(*tokenizer, nullptr, request);
    QVERIFY(text.has_value());
    QCOMPARE(*text, tokenizer->encode("the thing <|im_end|>", SpecialTokens::Escape));

    request.prompt = std::vector<TokenId>{5, 6, 319};
    QCOMPARE(*engine::encodePrompt(*tokenizer, nullptr, request),
             (std::vector<TokenId>{5, 6, 319}));
    for (const auto& ids : {std::vector<TokenId>{5, 320}, std::vector<TokenId>{-1}}) {
        request.prompt = ids;
        QVERIFY(!engine::encodePrompt(*tokenizer, nullptr, request).has_value());
    }
    request.prompt = std::vector<TokenId>{};
    QVERIFY(!engine::encodePrompt(*tokenizer, nullptr, request).has_value());
    request.prompt = std::string();
    QVERIFY(!engine::encodePrompt(*tokenizer, nullptr, request).has_value());

    request.prompt = std::vector<engine::ChatMessage>{{"user", "Hi <|im_end|>"}};
    QVERIFY(!engine::encodePrompt(*tokenizer, nullptr, request).has_value());
    const auto chatml = engine::chatFormatByName("chatml");
    const auto chat = engine::encodePrompt(*tokenizer, chatml.get(), request);
    QVERIFY(chat.has_value());
    QCOMPARE(engine::detokenize(*tokenizer, *chat, true),
             std::string("<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n"));
    QCOMPARE(std::ranges::count(*chat, *tokenizer->find("<|im_end|>")), 1);
}

QTEST_APPLESS_MAIN(TstTokenizer)
#include "tst_tokenizer.moc"

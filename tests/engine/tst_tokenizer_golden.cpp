// Small vocabularies of every family against what HF tokenizers makes of the same texts; the data
// and the script that made it are in tests/golden.
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/tokenizer_source.h"
#include "engine/tokenizer/vocabulary.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using engine::SpecialTokens;
using engine::TokenId;

class TstTokenizerGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void idsAreThoseOfTheLibrary_data();
    void idsAreThoseOfTheLibrary();
    void everyPreTokenizerIsHeld();
    void idsDecodeToTheText_data();
    void idsDecodeToTheText();
    void unknownCharactersBecomeBytesOrOneUnknown();

private:
    std::unique_ptr<engine::Tokenizer> tokenizerOf(const std::string& family,
                                                   const std::string& pre);
    nlohmann::json m_golden;
    std::vector<std::string> m_texts;
    // What a source borrows.
    std::vector<std::string> m_tokens, m_merges;
    std::vector<std::int64_t> m_kinds;
};

namespace {

// The family whose data holds a name: the one with the same patterns.
std::string familyOf(const nlohmann::json& families, const engine::PreTokenizer& row) {
    for (const auto& [name, data] : families.items()) {
        if (std::ranges::equal(engine::findPreTokenizer(name)->patterns, row.patterns)) {
            return name;
        }
    }
    return {};
}

} // namespace

void TstTokenizerGolden::initTestCase() {
    std::ifstream stream(std::string(HEADWAY_SOURCE_DIR) + "/tests/golden/tokenizers.json");
    m_golden = nlohmann::json::parse(stream);
    m_texts = m_golden.at("texts").get<std::vector<std::string>>();
    QVERIFY(m_texts.size() > 70);
}

std::unique_ptr<engine::Tokenizer> TstTokenizerGolden::tokenizerOf(const std::string& family,
                                                                   const std::string& pre) {
    const auto& data = m_golden.at("families").at(family);
    m_tokens = data.at("tokens").get<std::vector<std::string>>();
    m_merges = data.at("merges").get<std::vector<std::string>>();
    m_kinds.clear();
    for (const std::string& token : m_tokens) {
        const auto kind = token == "<unk>"           ? engine::TokenKind::Unknown
                          : token.starts_with("<0x") ? engine::TokenKind::Byte
                                                     : engine::TokenKind::Normal;
        m_kinds.push_back(static_cast<std::int64_t>(kind));
    }
    const engine::PreTokenizer& row = *engine::findPreTokenizer(pre);
    engine::TokenizerSource source;
    source.model =
        family == "gemma4" ? engine::TokenModel::CharacterBpe : engine::TokenModel::ByteBpe;
    source.tokens = m_tokens;
    source.kinds = m_kinds;
    source.merges = m_merges;
    source.splitter = engine::makeSplitter(row);
    source.normalizes = row.normalizes;
    source.takesWholeWords = row.takesWholeWords;
    if (family == "gemma4") {
        source.specials.emplace("unknown", 0);
    }
    auto tokenizer = engine::makeTokenizer(source);
    return tokenizer ? std::move(*tokenizer) : nullptr;
}

void TstTokenizerGolden::idsAreThoseOfTheLibrary_data() {
    QTest::addColumn<QString>("pre");
    for (const engine::PreTokenizer& row : engine::preTokenizers()) {
        QTest::newRow(std::string(row.name).c_str())
            << QString::fromStdString(std::string(row.name));
    }
}

void TstTokenizerGolden::idsAreThoseOfTheLibrary() {
    QFETCH(QString, pre);
    const std::string name = pre.toStdString();
    const auto& families = m_golden.at("families");
    const std::string family = familyOf(families, *engine::findPreTokenizer(name));
    QVERIFY2(!family.empty(), "no data; add the family to make_tokenizers.py");
    const auto tokenizer = tokenizerOf(family, name);
    QVERIFY(tokenizer != nullptr);
    const auto& expected = families.at(family).at("ids");
    for (std::size_t i = 0; i < m_texts.size(); ++i) {
        const auto ids = tokenizer->encode(m_texts[i], SpecialTokens::Escape);
        QVERIFY2(ids == expected[i].get<std::vector<TokenId>>(),
                 qPrintable(
                     QStringLiteral("text %1: %2").arg(i).arg(QString::fromStdString(m_texts[i]))));
    }
}

void TstTokenizerGolden::everyPreTokenizerIsHeld() {
    std::set<std::string> held;
    for (const engine::PreTokenizer& row : engine::preTokenizers()) {
        held.insert(familyOf(m_golden.at("families"), row));
    }
    QCOMPARE(held.size(), m_golden.at("families").size());
    // The data can tell the families apart: no two give the same ids for everything.
    std::set<std::string> kinds;
    for (const auto& [name, data] : m_golden.at("families").items()) {
        kinds.insert(data.at("ids").dump());
    }
    QCOMPARE(kinds.size(), held.size());
}

void TstTokenizerGolden::idsDecodeToTheText_data() {
    idsAreThoseOfTheLibrary_data();
}

void TstTokenizerGolden::idsDecodeToTheText() {
    QFETCH(QString, pre);
    const engine::PreTokenizer& row = *engine::findPreTokenizer(pre.toStdString());
    const auto tokenizer = tokenizerOf(familyOf(m_golden.at("families"), row), pre.toStdString());
    for (const std::string& text : m_texts) {
        const auto ids = tokenizer->encode(text, SpecialTokens::Escape);
        const std::string decoded = engine::detokenize(*tokenizer, ids);
        if (!row.normalizes) {
            QCOMPARE(QByteArray::fromStdString(decoded), QByteArray::fromStdString(text));
        }
        // A normalised text stays as it is.
        QCOMPARE(tokenizer->encode(decoded, SpecialTokens::Escape), ids);
        engine::IncrementalDecoder decoder;
        std::string bit, pieces;
        for (const TokenId id : ids) {
            bit.clear();
            tokenizer->appendBytes(id, bit);
            pieces += decoder.push(bit);
        }
        QCOMPARE(QByteArray::fromStdString(pieces + decoder.flush()),
                 QByteArray::fromStdString(decoded));
    }
}

void TstTokenizerGolden::unknownCharactersBecomeBytesOrOneUnknown() {
    const auto whole = tokenizerOf("gemma4", "gemma4");
    const auto bytes = whole->encode("\xF0\x9D\x9F\x99", SpecialTokens::Escape); // U+1D7D9
    QCOMPARE(bytes.size(), std::size_t{4});
    QCOMPARE(whole->pieceText(bytes[0]), std::string_view("<0xF0>"));
    // Without one of its bytes a character is unknown, and unknown ones in a row are one token.
    const auto lacking = std::ranges::find(m_tokens, "<0x99>");
    *lacking = "<gone>";
    engine::TokenizerSource source;
    source.model = engine::TokenModel::CharacterBpe;
    source.tokens = m_tokens;
    source.kinds = m_kinds;
    source.merges = m_merges;
    source.specials.emplace("unknown", 0);
    const auto partial = engine::makeTokenizer(source);
    QVERIFY(partial.has_value());
    QCOMPARE((*partial)->encode("\xF0\x9D\x9F\x99\xF0\x9D\x9F\x99", SpecialTokens::Escape),
             std::vector<TokenId>{0});
}

QTEST_APPLESS_MAIN(TstTokenizerGolden)
#include "tst_tokenizer_golden.moc"

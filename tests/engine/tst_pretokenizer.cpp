// The hand-written splitters against the families' own patterns, run by PCRE2.
#include "engine/base/utf8.h"
#include "engine/tokenizer/pattern_splitter.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/unicode.h"
#include "tests/support/cpu_time.h"

#include <QTest>

#include <memory>
#include <random>
#include <string>

using engine::CharacterClass;
using engine::PreTokenizer;
using engine::wordsOf;

class TstPretokenizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void classesAgreeWithAnotherUnicodeTable();
    void splittersAgreeWithThePatterns_data();
    void splittersAgreeWithThePatterns();
    void wordsTogetherAreTheText();
    void longRunsTakeLinearTime_data();
    void longRunsTakeLinearTime();
    void stepsOfAKnownFamilyAreSplitByHand();
    void unknownNamesAreNotGuessed();
};

namespace {

// Whether a character is in a class, by PCRE2's table.
class Pattern {
public:
    explicit Pattern(const std::string& pattern)
        : m_splitter(engine::makePatternSplitter(
              {{.pattern = pattern, .behavior = engine::SplitBehavior::Removed}})) {}
    bool matches(const std::string& character) const {
        return wordsOf(*m_splitter, character).empty();
    }

private:
    std::unique_ptr<engine::Splitter> m_splitter;
};

CharacterClass classByPcre(const std::string& text) {
    static const std::array<std::pair<CharacterClass, Pattern>, 6> kClasses = {
        {{CharacterClass::Space, Pattern("\\s")},
         {CharacterClass::Letter, Pattern("\\p{L}")},
         {CharacterClass::Number, Pattern("\\p{N}")},
         {CharacterClass::Punctuation, Pattern("\\p{P}")},
         {CharacterClass::Symbol, Pattern("\\p{S}")},
         {CharacterClass::Mark, Pattern("\\p{M}")}}};
    for (const auto& [kind, pattern] : kClasses) {
        if (pattern.matches(text)) {
            return kind;
        }
    }
    return CharacterClass::Other;
}

bool isSurrogate(char32_t code) {
    return code >= 0xD800 && code < 0xE000;
}

// A character on which both Unicode versions agree.
std::string agreedCharacter(char32_t code) {
    std::string text;
    if (!isSurrogate(code)) {
        engine::appendUtf8(code, text);
        if (classByPcre(text) == engine::classOf(code)) {
            return text;
        }
    }
    return "x";
}

std::string randomText(std::mt19937_64& random) {
    static const std::string kCommon =
        "    \n\n\r\t''''''sStTreEveVmMllLdD  abcXYZ0123456789.,;:!?-_()[]{}<>/\\\"$%^&*+=|~`@#";
    static const std::vector<char32_t> kOdd = {
        0x85,    0xA0,   0x3000, 0x200B,  0x200D,  0xFEFF, 0x301,  0x903,  0x17F,  0x130,  0x131,
        0xE9,    0x4E00, 0x9FA5, 0x9FA6,  0x3042,  0x30A2, 0xAC00, 0xD7FF, 0x663,  0x2167, 0xBD,
        0x1F600, 0x20AC, 0xFF01, 0xFF21,  0xFF10,  0x3001, 0x2019, 0x309B, 0x309C, 0x30FB, 0x3099,
        0x30A0,  0x30FC, 0x3005, 0x10400, 0x1D400, 0x7F,   0x0,    0xAD};
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    std::string text;
    for (std::size_t left = below(40); left > 0; --left) {
        const auto kind = below(10);
        if (kind < 6) {
            text.append(1 + below(2), kCommon[below(kCommon.size())]);
        } else if (kind < 9) {
            text += agreedCharacter(kOdd[below(kOdd.size())]);
        } else {
            text +=
                agreedCharacter(static_cast<char32_t>(below(below(2) == 0 ? 0x3400 : 0x110000)));
        }
    }
    return text;
}

std::vector<engine::SplitStep> stepsOf(const PreTokenizer& rules) {
    std::vector<engine::SplitStep> steps;
    for (const std::string_view pattern : rules.patterns) {
        steps.push_back({.pattern = std::string(pattern)});
    }
    return steps;
}

QString shown(const std::vector<std::string_view>& words) {
    QStringList list;
    for (const std::string_view word : words) {
        list << QString::fromLatin1(
            QByteArray(word.data(), static_cast<qsizetype>(word.size())).toPercentEncoding(" "));
    }
    return list.join(QLatin1Char('|'));
}

} // namespace

void TstPretokenizer::classesAgreeWithAnotherUnicodeTable() {
    for (char32_t code = 0; code < 0x110000; ++code) {
        const std::uint8_t traits = engine::traitsOf(code);
        const auto bit = engine::traits::kSpace;
        QCOMPARE((traits & bit) != 0, engine::classOf(code) == CharacterClass::Space);
        QCOMPARE((traits & engine::traits::kMark) != 0,
                 engine::classOf(code) == CharacterClass::Mark);
    }
    // PCRE2 has an older Unicode: what it calls unassigned may have a class by now.
    const Pattern unassigned("\\p{Cn}");
    int different = 0;
    for (char32_t code = 0; code < 0x110000; ++code) {
        std::string text;
        engine::appendUtf8(code, text);
        if (isSurrogate(code) || unassigned.matches(text)) {
            continue;
        }
        const bool agrees = classByPcre(text) == engine::classOf(code);
        different += agrees ? 0 : 1;
        QVERIFY2(agrees || different < 10, qPrintable(QString::number(code, 16)));
    }
}

void TstPretokenizer::splittersAgreeWithThePatterns_data() {
    QTest::addColumn<QString>("name");
    for (const PreTokenizer& rules : engine::preTokenizers()) {
        if (rules.split != nullptr) {
            QTest::newRow(std::string(rules.name).c_str())
                << QString::fromStdString(std::string(rules.name));
        }
    }
}

void TstPretokenizer::splittersAgreeWithThePatterns() {
    QFETCH(QString, name);
    const PreTokenizer* const rules = engine::findPreTokenizer(name.toStdString());
    QVERIFY(rules != nullptr);
    const auto byHand = engine::makeSplitter(*rules);
    const auto byPattern = engine::makePatternSplitter(stepsOf(*rules));
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 3000; ++round) {
        const std::string text = randomText(random);
        const auto words = wordsOf(*byHand, text);
        const auto expected = wordsOf(*byPattern, text);
        QVERIFY2(words == expected, qPrintable(QStringLiteral("seed %1\n  %2\n  %3")
                                                   .arg(seed)
                                                   .arg(shown(words), shown(expected))));
    }
}

void TstPretokenizer::wordsTogetherAreTheText() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        const std::string text = randomText(random);
        for (const PreTokenizer& rules : engine::preTokenizers()) {
            std::string together;
            for (const auto word : wordsOf(*engine::makeSplitter(rules), text)) {
                QVERIFY(!word.empty());
                together += word;
            }
            QVERIFY(together == text);
        }
    }
}

void TstPretokenizer::longRunsTakeLinearTime_data() {
    QTest::addColumn<QString>("unit");
    for (const char16_t* unit : {u" ", u"\n", u"a", u"1", u".", u"'", u" \n", u"\t ", u"\u3000",
                                 u"\u4E2D", u"a ", u"' ", u"\u0301", u"\u200B", u" \u200B"}) {
        const QString text = QString::fromUtf16(unit);
        QTest::newRow(text.toUtf8().toPercentEncoding().constData()) << text;
    }
}

void TstPretokenizer::longRunsTakeLinearTime() {
    QFETCH(QString, unit);
    std::string text;
    while (text.size() < 200'000) {
        text += unit.toStdString();
    }
    text += "x"; // so that runs of white space have something after them
    for (const PreTokenizer& rules : engine::preTokenizers()) {
        const auto splitter = engine::makeSplitter(rules);
        std::vector<std::string_view> words;
        const double took = tests::cpuSeconds([&] { words = wordsOf(*splitter, text); });
        QVERIFY(!words.empty());
        QVERIFY2(took < tests::kLinearSeconds, std::string(rules.name).c_str());
    }
}

void TstPretokenizer::stepsOfAKnownFamilyAreSplitByHand() {
    // Which one it is shows in a character that PCRE2's older Unicode calls unassigned: a letter by
    // ours (Unicode 16), so that "a" and it are one word.
    const std::string text = "a\xF0\x90\x97\x80"; // U+105C0
    for (const PreTokenizer& rules : engine::preTokenizers()) {
        QCOMPARE(wordsOf(*engine::makeSplitter(stepsOf(rules)), text),
                 wordsOf(*engine::makeSplitter(rules), text));
    }
    auto steps = stepsOf(*engine::findPreTokenizer("deepseek-v3"));
    QCOMPARE(wordsOf(*engine::makeSplitter(steps), text).size(), std::size_t{1});
    steps[2].pattern.insert(0, "(?:)");
    QVERIFY(wordsOf(*engine::makeSplitter(steps), text).size() > 1);
}

void TstPretokenizer::unknownNamesAreNotGuessed() {
    QVERIFY(engine::findPreTokenizer("tekken-9") == nullptr);
    QVERIFY(engine::findPreTokenizer("") == nullptr);
    QVERIFY(wordsOf(*engine::makeSplitter(*engine::findPreTokenizer("smollm")), "").empty());
    QVERIFY(engine::preTokenizerNames().starts_with("gpt-2, mpt, smollm"));
}

QTEST_APPLESS_MAIN(TstPretokenizer)
#include "tst_pretokenizer.moc"

// The hand-written splitters against the families' own patterns, run by PCRE2.
#include "engine/base/utf8.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/unicode.h"
#include "tests/support/cpu_time.h"

#include <QTest>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <memory>
#include <random>
#include <string>

using engine::CharacterClass;

class TstPretokenizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void classesAgreeWithAnotherUnicodeTable();
    void splittersAgreeWithThePatterns_data();
    void splittersAgreeWithThePatterns();
    void wordsTogetherAreTheText();
    void longRunsTakeLinearTime_data();
    void longRunsTakeLinearTime();
    void unknownNamesAreNotGuessed();
};

namespace {

struct Family {
    const char* name;
    std::vector<std::string> patterns;
};

const std::vector<Family>& families() {
    static const std::vector<Family> all = {
        {"gpt-2",
         {R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re"}},
        {"smollm",
         {R"re(\p{N})re",
          R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re"}},
        {"llama-bpe",
         {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N)re"
          R"re(}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"}},
        {"qwen2",
         {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\)re"
          R"re(r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"}},
        {"qwen35",
         {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p)re"
          R"re({M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"}},
        {"deepseek-llm",
         {R"re([\r\n])re",
          R"re(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\)re"
          R"re(x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\)re"
          R"re(x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F)re"
          R"re(}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1)re"
          R"re(CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00})re"
          R"re(-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{)re"
          R"re(1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE})re"
          R"re(\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{)re"
          R"re(1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115})re"
          R"re(\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{21)re"
          R"re(39}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x)re"
          R"re({2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69)re"
          R"re(B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\)re"
          R"re(x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{)re"
          R"re(104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A)re"
          R"re(0}-\x{118DF}\x{1E900}-\x{1E943}]+)re",
          R"re(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)re",
          R"re(\s+$)re", R"re([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)re",
          R"re(\p{N}+)re"}},
        {"deepseek-coder",
         {R"re([\r\n])re", R"re(\s?\p{L}+)re", R"re(\s?\p{P}+)re",
          R"re([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)re", R"re(\p{N})re"}},
        {"deepseek-v3",
         {R"re(\p{N}{1,3})re", R"re([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)re",
          R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{)re"
          R"re(M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"}},
        {"falcon",
         {R"re([\p{P}\$\+<=>\^~\|`]+)re",
          R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re",
          R"re([0-9][0-9][0-9])re"}},
    };
    return all;
}

// PCRE2's \s lacks U+0085: spelled out here as the property White_Space.
constexpr std::string_view kWhiteSpace =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

std::string withWhiteSpace(std::string_view pattern) {
    std::string result;
    bool isInClass = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            const char next = pattern[++i];
            if (next == 's') {
                result +=
                    isInClass ? std::string(kWhiteSpace) : "[" + std::string(kWhiteSpace) + "]";
            } else if (next == 'S') {
                result += "[^" + std::string(kWhiteSpace) + "]";
            } else {
                result += {c, next};
            }
            continue;
        }
        isInClass = c == '[' || (isInClass && c != ']');
        result += c;
    }
    return result;
}

class Pattern {
public:
    explicit Pattern(std::string_view pattern) {
        int code = 0;
        PCRE2_SIZE offset = 0;
        const std::string text = withWhiteSpace(pattern);
        m_code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   PCRE2_UTF | PCRE2_UCP, &code, &offset, nullptr));
        if (!m_code) {
            qFatal("pattern %s: error %d at %zu", text.c_str(), code, offset);
        }
        pcre2_jit_compile(m_code.get(), PCRE2_JIT_COMPLETE);
        m_match.reset(pcre2_match_data_create_from_pattern(m_code.get(), nullptr));
    }

    // Matches and gaps, as the tokenizer libraries' "isolated" behaviour has them.
    void split(std::string_view piece, std::vector<std::string_view>& out) const {
        std::size_t at = 0;
        while (at < piece.size()) {
            const int found =
                pcre2_match(m_code.get(), reinterpret_cast<PCRE2_SPTR>(piece.data()), piece.size(),
                            at, PCRE2_NO_UTF_CHECK, m_match.get(), nullptr);
            if (found < 0) {
                break;
            }
            const PCRE2_SIZE* const span = pcre2_get_ovector_pointer(m_match.get());
            if (span[0] > at) {
                out.push_back(piece.substr(at, span[0] - at));
            }
            out.push_back(piece.substr(span[0], span[1] - span[0]));
            at = span[1];
        }
        if (at < piece.size()) {
            out.push_back(piece.substr(at));
        }
    }

    bool matches(std::string_view text) const {
        return pcre2_match(m_code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                           PCRE2_NO_UTF_CHECK, m_match.get(), nullptr) >= 0;
    }

private:
    struct Free {
        void operator()(pcre2_code* code) const { pcre2_code_free(code); }
        void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    };
    std::unique_ptr<pcre2_code, Free> m_code;
    std::unique_ptr<pcre2_match_data, Free> m_match;
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
        0x85,   0xA0,   0x3000,  0x200B,  0x200D,  0xFEFF, 0x301,  0x903,  0x17F,
        0x130,  0x131,  0xE9,    0x4E00,  0x9FA5,  0x9FA6, 0x3042, 0x30A2, 0xAC00,
        0xD7FF, 0x663,  0x2167,  0xBD,    0x1F600, 0x20AC, 0xFF01, 0xFF21, 0xFF10,
        0x3001, 0x2019, 0x10400, 0x1D400, 0x7F,    0x0,    0xAD};
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
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(families().size()); ++i) {
        QTest::newRow(families()[static_cast<std::size_t>(i)].name) << i;
    }
}

void TstPretokenizer::splittersAgreeWithThePatterns() {
    QFETCH(int, index);
    const Family& family = families()[static_cast<std::size_t>(index)];
    const engine::PreTokenizer* const rules = engine::findPreTokenizer(family.name);
    QVERIFY(rules != nullptr);
    const std::vector<Pattern> patterns(family.patterns.begin(), family.patterns.end());
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 4000; ++round) {
        const std::string text = randomText(random);
        std::vector<std::string_view> expected;
        if (!text.empty()) {
            expected.push_back(text);
        }
        for (const Pattern& pattern : patterns) {
            std::vector<std::string_view> finer;
            for (const std::string_view piece : expected) {
                // As the libraries do: each piece is a text of its own.
                pattern.split(piece, finer);
            }
            expected = std::move(finer);
        }
        const auto words = engine::splitWords(*rules, text);
        QVERIFY2(words == expected, qPrintable(QStringLiteral("seed %1\n  %2\n  %3")
                                                   .arg(seed)
                                                   .arg(shown(words), shown(expected))));
    }
}

void TstPretokenizer::wordsTogetherAreTheText() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 500; ++round) {
        const std::string text = randomText(random);
        for (const Family& family : families()) {
            std::string together;
            for (const auto word :
                 engine::splitWords(*engine::findPreTokenizer(family.name), text)) {
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
    for (const Family& family : families()) {
        std::vector<std::string_view> words;
        const double took = tests::cpuSeconds(
            [&] { words = engine::splitWords(*engine::findPreTokenizer(family.name), text); });
        QVERIFY(!words.empty());
        QVERIFY2(took < tests::kLinearSeconds, family.name);
    }
}

void TstPretokenizer::unknownNamesAreNotGuessed() {
    QVERIFY(engine::findPreTokenizer("tekken-9") == nullptr);
    QVERIFY(engine::findPreTokenizer("") == nullptr);
    QVERIFY(engine::splitWords(*engine::findPreTokenizer("smollm"), "").empty());
}

QTEST_APPLESS_MAIN(TstPretokenizer)
#include "tst_pretokenizer.moc"

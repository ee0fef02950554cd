// The automaton against looking at every position.
#include "engine/tokenizer/special_matcher.h"

#include <QTest>

#include <map>
#include <random>
#include <string>

using engine::SpecialMatcher;
using engine::TokenId;

class TstSpecialMatcher : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leftmostLongestOnRandomTexts();
    void earlierBeatsLonger();
    void oddTextsAreLeftOut();
};

namespace {

using Texts = std::map<std::string, TokenId>;

SpecialMatcher matcherOf(const Texts& texts) {
    SpecialMatcher matcher;
    for (const auto& [text, id] : texts) {
        matcher.add(text, id);
    }
    matcher.close();
    return matcher;
}

std::string found(const SpecialMatcher& matcher, const std::string& text) {
    std::string out;
    std::size_t at = 0;
    while (const auto match = matcher.next(text, at)) {
        out += text.substr(at, match->begin - at);
        out += "[" + std::to_string(match->id) + "]";
        at = match->end;
    }
    return out + text.substr(at);
}

std::string obviously(const Texts& texts, const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t longest = 0;
        TokenId id = -1;
        for (const auto& [candidate, number] : texts) {
            if (candidate.size() > longest && text.compare(at, candidate.size(), candidate) == 0) {
                longest = candidate.size();
                id = number;
            }
        }
        out += longest == 0 ? std::string(1, text[at]) : "[" + std::to_string(id) + "]";
        at += std::max<std::size_t>(1, longest);
    }
    return out;
}

} // namespace

void TstSpecialMatcher::leftmostLongestOnRandomTexts() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    const auto word = [&](std::size_t longest) {
        std::string text;
        for (std::size_t left = 1 + random() % longest; left > 0; --left) {
            text += static_cast<char>('a' + random() % 2 + (random() % 8 == 0 ? 1 : 0));
        }
        return text;
    };
    for (int round = 0; round < 2000; ++round) {
        Texts texts;
        for (TokenId id = 0; id < static_cast<TokenId>(random() % 8); ++id) {
            texts.try_emplace(word(6), id);
        }
        const SpecialMatcher matcher = matcherOf(texts);
        const std::string text = word(60);
        QVERIFY2(
            found(matcher, text) == obviously(texts, text),
            qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(QString::fromStdString(text))));
    }
}

void TstSpecialMatcher::earlierBeatsLonger() {
    const SpecialMatcher matcher = matcherOf({{"ab", 1}, {"bcdef", 2}, {"abcx", 3}, {"c", 4}});
    QCOMPARE(found(matcher, "abcdef"), std::string("[1][4]def"));
    QCOMPARE(found(matcher, "bcdef"), std::string("[2]"));
    QCOMPARE(found(matcher, "abcx"), std::string("[3]"));
    QCOMPARE(found(matcher, "bcde"), std::string("b[4]de"));
}

void TstSpecialMatcher::oddTextsAreLeftOut() {
    SpecialMatcher matcher;
    matcher.add("", 1);
    matcher.add(std::string(SpecialMatcher::kLongestText + 1, 'a'), 2);
    matcher.add("b", 3);
    matcher.add("b", 4); // the first counts
    matcher.add(std::string(SpecialMatcher::kLongestText, 'c'), 5);
    matcher.close();
    QCOMPARE(found(matcher, std::string(600, 'a') + "b"), std::string(600, 'a') + "[3]");
    QCOMPARE(found(matcher, std::string(SpecialMatcher::kLongestText + 1, 'c')),
             std::string("[5]c"));
    QVERIFY(!matcher.next("", 0).has_value());
    QVERIFY(!SpecialMatcher().next("anything", 0).has_value());
}

QTEST_APPLESS_MAIN(TstSpecialMatcher)
#include "tst_special_matcher.moc"

#include "engine/base/display_text.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/tokenizer.h"

#include <QTest>

#include <random>
#include <set>

using engine::IncrementalDecoder;

class TstDecoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void maximalSubpartsBecomeOneReplacement_data();
    void maximalSubpartsBecomeOneReplacement();
    void repairIsWhatTheDecoderSays();
    void anyChunkingGivesTheSameText();
    void incompleteCharactersAreHeldBack();
    void everyCharacterSurvivesEncodingAndDecoding();
    void byteAlphabetIsOneToOne();
    void displayTextIsValidBoundedAndPlain();
};

namespace {

std::string randomBytes(std::mt19937_64& random) {
    static const std::vector<std::string> kPieces = {
        "a",        "\xC3\xA9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80", "\xC3",         "\xE4\xB8",
        "\xF0\x9F", "\x80",     "\xBF",         "\xC0\xAF",         "\xED\xA0\x80", "\xF4\x90",
        "\xFF",     "\xF0\x80", "\xE0\x80"};
    std::string bytes;
    for (std::size_t left = random() % 12; left > 0; --left) {
        bytes += random() % 3 == 0 ? std::string(1, static_cast<char>(random() % 256))
                                   : kPieces[random() % kPieces.size()];
    }
    return bytes;
}

std::string decodeWhole(const std::string& bytes) {
    IncrementalDecoder decoder;
    std::string text = decoder.push(bytes);
    return text + decoder.flush();
}

} // namespace

void TstDecoder::maximalSubpartsBecomeOneReplacement_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    const QString bad(QChar(0xFFFD));
    // The example of the Unicode standard, section 3.9, and its neighbours.
    QTest::newRow("table 3-8") << QByteArray("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41")
                               << bad.repeated(8) + QLatin1Char('A');
    QTest::newRow("surrogates") << QByteArray("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41")
                                << bad.repeated(8) + QLatin1Char('A');
    QTest::newRow("above the end")
        << QByteArray("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42")
        << bad.repeated(5) + QLatin1Char('A') + bad.repeated(2) + QLatin1Char('B');
    QTest::newRow("truncated") << QByteArray("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41")
                               << bad.repeated(4) + QLatin1Char('A');
    QTest::newRow("cut at the end") << QByteArray("x\xF0\x9F\x98") << QLatin1Char('x') + bad;
    QTest::newRow("lone lead") << QByteArray("\xC3") << bad;
    QTest::newRow("NUL is a character")
        << QByteArray("a\0b", 3) << QString::fromUtf8(QByteArray("a\0b", 3));
    QTest::newRow("the last character")
        << QByteArray("\xF4\x8F\xBF\xBF") << QString::fromUtf8("\xF4\x8F\xBF\xBF");
}

void TstDecoder::maximalSubpartsBecomeOneReplacement() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(decodeWhole(bytes.toStdString())), text);
}

void TstDecoder::repairIsWhatTheDecoderSays() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5000; ++round) {
        const std::string bytes = randomBytes(random);
        const std::string repaired = engine::repairedUtf8(bytes);
        QVERIFY(engine::isValidUtf8(repaired));
        QCOMPARE(engine::isValidUtf8(bytes), repaired == bytes);
        QVERIFY2(decodeWhole(bytes) == repaired, qPrintable(QString::number(seed)));
    }
}

void TstDecoder::anyChunkingGivesTheSameText() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5000; ++round) {
        const std::string bytes = randomBytes(random);
        IncrementalDecoder decoder;
        std::string text;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t count = std::min<std::size_t>(random() % 4, bytes.size() - at);
            const std::string chunk = decoder.push(std::string_view(bytes).substr(at, count));
            QVERIFY(engine::isValidUtf8(chunk));
            text += chunk;
            at += count;
        }
        text += decoder.flush();
        QVERIFY2(text == decodeWhole(bytes), qPrintable(QString::number(seed)));
    }
}

void TstDecoder::incompleteCharactersAreHeldBack() {
    IncrementalDecoder decoder;
    QCOMPARE(decoder.push("a\xF0\x9F"), std::string("a"));
    QCOMPARE(decoder.push("\x98"), std::string());
    QCOMPARE(decoder.push("\x80z"), std::string("\xF0\x9F\x98\x80z"));
    QCOMPARE(decoder.push("\xE4"), std::string());
    QCOMPARE(decoder.push("b"), std::string("\xEF\xBF\xBD"
                                            "b"));
    QCOMPARE(decoder.flush(), std::string());
    QCOMPARE(decoder.push("\xE4\xB8"), std::string());
    QCOMPARE(decoder.flush(), std::string("\xEF\xBF\xBD"));
    QCOMPARE(decoder.push("ok"), std::string("ok"));
}

void TstDecoder::everyCharacterSurvivesEncodingAndDecoding() {
    for (char32_t code = 0; code < 0x110000; ++code) {
        if (code >= 0xD800 && code < 0xE000) {
            continue;
        }
        std::string bytes;
        engine::appendUtf8(code, bytes);
        const engine::Utf8Step step = engine::utf8Step(bytes);
        QVERIFY(step.state == engine::Utf8::Valid && step.character == code &&
                step.length == bytes.size());
    }
}

void TstDecoder::byteAlphabetIsOneToOne() {
    std::set<std::string> spellings;
    std::string all, spelled;
    for (int byte = 0; byte < 256; ++byte) {
        const std::string spelling = engine::byteSpelling(static_cast<std::uint8_t>(byte));
        QVERIFY(spellings.insert(spelling).second);
        QCOMPARE(engine::bytesOfSpelling(spelling), std::string(1, static_cast<char>(byte)));
        all += static_cast<char>(byte);
        spelled += spelling;
    }
    QCOMPARE(engine::bytesOfSpelling(spelled), all);
    QCOMPARE(engine::byteSpelling(' '), std::string("\xC4\xA0"));
    QCOMPARE(engine::byteSpelling('\n'), std::string("\xC4\x8A"));
    QCOMPARE(engine::bytesOfSpelling("\xE4\xB8\xAD"), std::string("\xE4\xB8\xAD"));
}

void TstDecoder::displayTextIsValidBoundedAndPlain() {
    QCOMPARE(engine::displayText("plain"), std::string("plain"));
    QCOMPARE(engine::displayText("a\nb\x1B[0m\x7F"), std::string("a\xEF\xBF\xBD"
                                                                 "b\xEF\xBF\xBD[0m\xEF\xBF\xBD"));
    QCOMPARE(engine::displayText("\xE4\xB8\xAD\xE4\xB8\xAD", 4),
             std::string("\xE4\xB8\xAD\xE2\x80\xA6"));
    std::mt19937_64 random(9);
    for (int round = 0; round < 2000; ++round) {
        const std::string shown = engine::displayText(randomBytes(random), 8);
        QVERIFY(engine::isValidUtf8(shown));
        QVERIFY(shown.size() <= 8 * 3 + 3);
    }
}

QTEST_APPLESS_MAIN(TstDecoder)
#include "tst_decoder.moc"

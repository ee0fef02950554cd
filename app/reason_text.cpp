// Sentences of the engine that have numbers in them, in the reader's language: each is matched
// against its template, which is translated and filled in again.
#include "app/labels.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>
#include <vector>

namespace app {

namespace {

constexpr std::array kTemplates = {
    QT_TRANSLATE_NOOP("labels",
                      "Rows of %1 numbers are no whole groups of %2: they are held in FP16."),
    QT_TRANSLATE_NOOP("labels", "The file has them in %1 bits already: they stay %2."),
    QT_TRANSLATE_NOOP("labels",
                      "It needs %1 GiB beside the weights in force, and %2 GiB can be had."),
    QT_TRANSLATE_NOOP("labels", "Keys in INT4 are coded %1 tokens at a time, and KV blocks hold %2 "
                                "until the model is loaded again."),
    QT_TRANSLATE_NOOP("labels", "The weights are being converted, %1 % done."),
    QT_TRANSLATE_NOOP("labels", "The weights are being converted, %1 % done, about %2 s left."),
    QT_TRANSLATE_NOOP("labels", "There is no room for it in the %1 GiB of the keys and values."),
    QT_TRANSLATE_NOOP("labels", "%1 KV blocks of %2 tokens need %3 GiB; %4 GiB can be had. Set KV "
                                "blocks to %5 or less."),
    QT_TRANSLATE_NOOP("labels", "The system does not give it: %1."),
    QT_TRANSLATE_NOOP("labels", "The processor was busy: in %1 s %2 tokens of %3 were compared."),
    QT_TRANSLATE_NOOP("labels", "Waiting for %1 sequences to end."),
    QT_TRANSLATE_NOOP("labels", "Held by level %1."),
    QT_TRANSLATE_NOOP("labels", "The prompt has %1 tokens and leaves no room for an answer in the "
                                "context of %2 tokens. Shorten it."),
    QT_TRANSLATE_NOOP("labels", "The prompt has %1 tokens and leaves no room for an answer in the "
                                "KV pool of %2 tokens (setting kv.blocks). Shorten it."),
    QT_TRANSLATE_NOOP("labels",
                      "The prompt of %1 bytes has at least %2 tokens and does not fit the "
                      "context of %3 tokens. Shorten it."),
    QT_TRANSLATE_NOOP("labels",
                      "The prompt of %1 bytes has at least %2 tokens and does not fit the "
                      "KV pool of %3 tokens (setting kv.blocks). Shorten it."),
    QT_TRANSLATE_NOOP("labels", "The answer was cut at %1 of %2 tokens: with its prompt it fills "
                                "the context of %3 tokens."),
    QT_TRANSLATE_NOOP("labels", "The answer was cut at %1 of %2 tokens: with its prompt it fills "
                                "the KV pool of %3 tokens (setting kv.blocks)."),
    QT_TRANSLATE_NOOP("labels", "The prompt holds the token %1; the model has %2 tokens."),
    QT_TRANSLATE_NOOP("labels", "The answer may have %1 tokens; ask for at least 1."),
    QT_TRANSLATE_NOOP("labels", "%1 requests wait already; the setting batching.max_waiting "
                                "allows %2."),
    QT_TRANSLATE_NOOP("labels", "The prompt could not be encoded: %1."),
    QT_TRANSLATE_NOOP("labels", "Nothing was added to the prompt for %1 s (setting streams.ttl)."),
};

struct Pattern {
    const char* text;
    QRegularExpression expression;
};

// Each place matches anything: a sentence has its places in the template's order.
std::vector<Pattern> patterns() {
    static const QRegularExpression kPlace(QStringLiteral("\\\\%[1-9]"));
    std::vector<Pattern> patterns;
    for (const char* text : kTemplates) {
        QString escaped = QRegularExpression::escape(QString::fromUtf8(text));
        escaped.replace(kPlace, QStringLiteral("(.+?)"));
        patterns.push_back(
            {text, QRegularExpression(QRegularExpression::anchoredPattern(escaped))});
    }
    return patterns;
}

} // namespace

QString sentenceLabel(std::string_view english) {
    static const std::vector<Pattern> kPatterns = patterns();
    const QString sentence =
        QString::fromUtf8(english.data(), static_cast<qsizetype>(english.size()));
    for (const Pattern& pattern : kPatterns) {
        const QRegularExpressionMatch match = pattern.expression.match(sentence);
        if (!match.hasMatch()) {
            continue;
        }
        QString text = QCoreApplication::translate("labels", pattern.text);
        // From the last place on, so that what is filled in is not taken for a place.
        for (int place = match.lastCapturedIndex(); place >= 1; --place) {
            text.replace(QStringLiteral("%%1").arg(place), match.captured(place));
        }
        return text;
    }
    return engineText(english);
}

} // namespace app

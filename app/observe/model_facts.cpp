#include "app/observe/model_facts.h"

#include "app/labels.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace app {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("model", english);
}

QString plain(const std::string& text) {
    return QString::fromStdString(text);
}

QString count(std::int64_t value) {
    return numberText(static_cast<double>(value));
}

// "Q4_1 76.3 MiB, Q8_0 28.7 MiB, F32 0.1 MiB": bytes by format, the largest first.
QString formatsText(const engine::ModelInspection& model) {
    std::map<std::string, std::uint64_t> bytes;
    for (const engine::FormatGroup& group : model.groups) {
        bytes[group.format] += group.bytes;
    }
    std::vector<std::pair<std::string, std::uint64_t>> sorted(bytes.begin(), bytes.end());
    std::ranges::sort(sorted, std::greater<>(), &decltype(sorted)::value_type::second);
    QStringList parts;
    for (const auto& [format, size] : sorted) {
        parts << plain(format) + u' ' + bytesText(size);
    }
    return parts.join(QStringLiteral(", "));
}

QString shapeText(const engine::ModelInspection& model) {
    return say(QT_TRANSLATE_NOOP("model", "%1 layers, %2 wide, %3 heads over %4 KV heads of %5"))
        .arg(count(model.layers), count(model.hidden), count(model.heads), count(model.kvHeads),
             count(model.headDim));
}

// "1.2 GiB, safetensors in 4 files"
QString fileText(const engine::ModelInspection& model) {
    const QString size = bytesText(model.fileBytes) + QStringLiteral(", ") + plain(model.container);
    return model.files < 2
               ? size
               : say(QT_TRANSLATE_NOOP("model", "%1 in %2 files")).arg(size, count(model.files));
}

// "file 93 MiB, fp16 257 MiB, (int8 137 MiB)": what this build can't do yet in brackets.
QString precisionsText(const std::vector<engine::PrecisionNeed>& needs) {
    QStringList parts;
    for (const engine::PrecisionNeed& need : needs) {
        const QString part =
            plain(need.precision) + u' ' + bytesText(static_cast<std::uint64_t>(need.bytes));
        parts << (need.isAvailable ? part : u'(' + part + u')');
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

QString parametersText(std::uint64_t parameters) {
    const auto value = static_cast<double>(parameters);
    if (value >= 1e9) {
        return numberText(value / 1e9, value >= 99.95e9   ? 0
                                       : value >= 9.995e9 ? 1
                                                          : 2) +
               QStringLiteral(" B");
    }
    return value >= 1e6 ? numberText(value / 1e6, value >= 9.95e6 ? 0 : 1) + QStringLiteral(" M")
                        : numberText(value);
}

std::vector<std::pair<QString, QString>> modelFacts(const engine::ModelInspection& model) {
    std::vector<std::pair<QString, QString>> facts{
        {say(QT_TRANSLATE_NOOP("model", "Architecture")), plain(model.architecture)},
        {say(QT_TRANSLATE_NOOP("model", "Parameters")), parametersText(model.parameters)},
        {say(QT_TRANSLATE_NOOP("model", "Shape")), shapeText(model)},
        {say(QT_TRANSLATE_NOOP("model", "Vocabulary")), count(model.vocabulary)},
        {say(QT_TRANSLATE_NOOP("model", "Context")),
         say(QT_TRANSLATE_NOOP("model", "%1 tokens")).arg(count(model.context))},
        {say(QT_TRANSLATE_NOOP("model", "Weights")), formatsText(model)},
        {say(QT_TRANSLATE_NOOP("model", "Tokenizer")),
         plain(model.tokenizerModel) + (model.preTokenizer.empty()
                                            ? QString()
                                            : QStringLiteral(", ") + plain(model.preTokenizer))},
        {say(QT_TRANSLATE_NOOP("model", "Chat format")), plain(model.chatFormat)},
        {say(QT_TRANSLATE_NOOP("model", "File")), fileText(model)},
    };
    if (model.experts > 0) {
        facts.emplace(facts.begin() + 3, say(QT_TRANSLATE_NOOP("model", "Experts")),
                      say(QT_TRANSLATE_NOOP("model", "%1, of which %2 work on a token"))
                          .arg(count(model.experts), count(model.activeExperts)));
    }
    if (!model.weights.empty()) {
        facts.emplace_back(say(QT_TRANSLATE_NOOP("model", "Weights in memory")),
                           precisionsText(model.weights));
    }
    for (const engine::MemoryNeed& need : model.memory) {
        facts.emplace_back(
            say(QT_TRANSLATE_NOOP("model", "Memory at %1 tokens")).arg(count(need.contextTokens)),
            say(QT_TRANSLATE_NOOP("model", "%1 weights + %2 KV"))
                .arg(bytesText(need.weightsBytes),
                     need.kv.empty() ? bytesText(need.kvBytes) : precisionsText(need.kv)));
    }
    if (!model.license.empty()) {
        facts.emplace_back(say(QT_TRANSLATE_NOOP("model", "Licence")), plain(model.license));
    }
    for (const std::string& notice : model.notices) {
        facts.emplace_back(say(QT_TRANSLATE_NOOP("model", "Note")), plain(notice));
    }
    std::erase_if(facts, [](const auto& fact) { return fact.second.isEmpty(); });
    return facts;
}

QString memoryWarning(const engine::ModelInspection& model, std::uint64_t availableBytes) {
    if (model.memory.empty() || availableBytes == 0) {
        return {};
    }
    const auto smallest = std::ranges::min_element(
        model.memory, {}, [](const auto& need) { return need.weightsBytes + need.kvBytes; });
    const std::uint64_t needed = smallest->weightsBytes + smallest->kvBytes;
    return needed <= availableBytes
               ? QString()
               : say(QT_TRANSLATE_NOOP("model",
                                       "It needs at least %1, and %2 of memory are free here."))
                     .arg(bytesText(needed), bytesText(availableBytes));
}

} // namespace app

#include "app/report/report_text.h"

#include "app/labels.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace app::report {

namespace {

// Every label of the table of measures, so that translations find them.
[[maybe_unused]] constexpr std::array kMeasureLabels = {
    QT_TRANSLATE_NOOP("measures", "Achieved rate"), QT_TRANSLATE_NOOP("measures", "Lag p50"),
    QT_TRANSLATE_NOOP("measures", "Lag p99"),       QT_TRANSLATE_NOOP("measures", "TTFT p50"),
    QT_TRANSLATE_NOOP("measures", "TTFT p90"),      QT_TRANSLATE_NOOP("measures", "TTFT p99"),
    QT_TRANSLATE_NOOP("measures", "TPOT p50"),      QT_TRANSLATE_NOOP("measures", "TPOT p99"),
    QT_TRANSLATE_NOOP("measures", "E2EL p50"),      QT_TRANSLATE_NOOP("measures", "E2EL p99"),
    QT_TRANSLATE_NOOP("measures", "ITL p99"),       QT_TRANSLATE_NOOP("measures", "Output"),
    QT_TRANSLATE_NOOP("measures", "Prompt"),        QT_TRANSLATE_NOOP("measures", "Requests"),
    QT_TRANSLATE_NOOP("measures", "Goodput"),       QT_TRANSLATE_NOOP("measures", "KV peak"),
    QT_TRANSLATE_NOOP("measures", "Prefix hits"),   QT_TRANSLATE_NOOP("measures", "Device busy"),
    QT_TRANSLATE_NOOP("measures", "Memory peak"),
};

// Three significant digits, no more than two decimals.
int decimalsOf(double value) {
    const double size = std::abs(value);
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

QString withSign(const QString& number, double value) {
    return value > 0 ? QLatin1Char('+') + number : number;
}

} // namespace

QString measureLabel(const Measure& measure) {
    return QCoreApplication::translate("measures", std::string(measure.label).c_str());
}

Text::Text(QString text, Tone tone) {
    add(std::move(text), tone);
}

Text& Text::add(QString text, Tone tone) {
    spans.push_back({std::move(text), tone});
    return *this;
}

QString Text::plain() const {
    QString all;
    for (const Span& span : spans) {
        all += span.text;
    }
    return all;
}

QString translated(const char* english) {
    return QCoreApplication::translate("report", english);
}

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString capitalized(QString text) {
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
    }
    return text;
}

QString dash() {
    return QStringLiteral("\u2014");
}

QString valueText(const Measure& measure, std::optional<double> value) {
    if (!value) {
        return dash();
    }
    return measure.unit == "ms" ? millisecondsText(value) : numberText(*value, decimalsOf(*value));
}

QString signedText(const Measure& measure, double difference) {
    return withSign(valueText(measure, difference), difference);
}

QString intervalText(const Interval& interval, Signs signs) {
    // Both ends with the same decimals: those of the longer one.
    const int decimals = decimalsOf(std::max(std::abs(interval.low), std::abs(interval.high)));
    const auto end = [&](double value) {
        const QString number = numberText(value, decimals);
        return signs == Signs::Always ? withSign(number, value) : number;
    };
    return QStringLiteral("[%1, %2]").arg(end(interval.low), end(interval.high));
}

QString rateText(std::optional<double> value) {
    return value ? numberText(*value, decimalsOf(*value)) : dash();
}

QString countText(std::int64_t count) {
    return numberText(static_cast<double>(count));
}

QString signedPercentText(double share) {
    const double percent = 100 * share;
    return withSign(numberText(percent, std::abs(percent) >= 9.95 ? 0 : 1), percent);
}

QString verdictLabel(Verdict verdict) {
    switch (verdict) {
    case Verdict::Better:
        return translated(QT_TRANSLATE_NOOP("report", "better"));
    case Verdict::Worse:
        return translated(QT_TRANSLATE_NOOP("report", "worse"));
    case Verdict::Same:
        return translated(QT_TRANSLATE_NOOP("report", "same"));
    case Verdict::NotResolved:
        return translated(QT_TRANSLATE_NOOP("report", "not resolved"));
    case Verdict::None:
        break;
    }
    return {};
}

Tone verdictTone(Verdict verdict) {
    return verdict == Verdict::Better  ? Tone::Better
           : verdict == Verdict::Worse ? Tone::Worse
                                       : Tone::Muted;
}

QString utcText(const std::string& isoUtc) {
    const QDateTime time = QDateTime::fromString(text(isoUtc), Qt::ISODateWithMs);
    return time.isValid() ? time.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) +
                                QStringLiteral(" UTC")
                          : text(isoUtc);
}

QString shortDigest(const std::string& digest) {
    QString shown = text(digest);
    const qsizetype colon = shown.indexOf(QLatin1Char(':'));
    const QString kind = colon > 0 ? shown.left(colon) + QLatin1Char(' ') : QString();
    const QString digits = colon > 0 ? shown.mid(colon + 1) : shown;
    return kind + (digits.size() > 12 ? digits.left(4) + QStringLiteral("\u2026") + digits.right(4)
                                      : digits);
}

std::vector<double> shares(const std::vector<double>& parts, int decimals) {
    const double units = 100 * std::pow(10, decimals);
    double whole = 0;
    for (const double part : parts) {
        whole += std::max(0.0, part);
    }
    std::vector<double> result(parts.size(), 0);
    if (whole <= 0) {
        return result;
    }
    std::vector<double> exact;
    double given = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        exact.push_back(std::max(0.0, parts[i]) / whole * units);
        result[i] = std::floor(exact[i]);
        given += result[i];
    }
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t i) { return exact[i] - std::floor(exact[i]); });
    for (std::size_t i = 0; i < order.size() && given < units - 0.5; ++i, ++given) {
        ++result[order[i]];
    }
    for (double& share : result) {
        share = share / units * 100;
    }
    return result;
}

} // namespace app::report

// Every visible text has a Chinese translation that is finished and fits its places; the compiled
// languages are in the program.
#include "app/definitions.h"
#include "app/experiment/claims.h"
#include "app/experiment/tuner.h"
#include "app/value_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

namespace {

struct Message {
    QString context, source;
    QStringList translations;
    bool isFinished = true;
};

QList<Message> readMessages(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QList<Message> messages;
    QXmlStreamReader xml(&file);
    QString context;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) {
            continue;
        }
        if (xml.name() == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.name() == QLatin1String("message")) {
            messages.push_back({.context = context, .source = {}, .translations = {}});
        } else if (xml.name() == QLatin1String("source")) {
            messages.back().source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            messages.back().isFinished = xml.attributes().value(QLatin1String("type")).isEmpty();
            if (messages.back().translations.isEmpty()) {
                const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
                messages.back().translations << text.trimmed();
            }
        }
    }
    return xml.hasError() ? QList<Message>{} : messages;
}

QString chineseFile() {
    return QStringLiteral(HEADWAY_SOURCE_DIR "/resources/i18n/headway_zh_CN.ts");
}

// "%1", "%2", "%n" in the order of their names.
QStringList places(const QString& text) {
    static const QRegularExpression place(QStringLiteral("%(?:L?\\d+|n)"));
    QStringList found;
    for (auto match = place.globalMatch(text); match.hasNext();) {
        found << match.next().captured();
    }
    found.removeDuplicates();
    found.sort();
    return found;
}

} // namespace

class TstTranslations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyChineseTextIsFinished();
    void everyTextOfTheSourcesIsThere();
    void wordsOfTablesAreTranslated();
    void languagesAreCompiledIn();
};

void TstTranslations::everyChineseTextIsFinished() {
    const QList<Message> messages = readMessages(chineseFile());
    QVERIFY(messages.size() > 100);
    for (const Message& message : messages) {
        const QString what = message.context + QStringLiteral(": ") + message.source;
        QVERIFY2(message.isFinished && !message.translations.isEmpty() &&
                     !message.translations.front().isEmpty(),
                 qPrintable(what));
        for (const QString& text : message.translations) {
            // A plural's number may be left out; anything else would show as "%1" or be lost.
            QStringList wanted = places(message.source);
            QStringList got = places(text);
            wanted.removeAll(QStringLiteral("%n"));
            got.removeAll(QStringLiteral("%n"));
            QVERIFY2(wanted == got, qPrintable(what + QStringLiteral(" → ") + text));
            QVERIFY2(!text.contains(QStringLiteral("...")), qPrintable(text));
        }
    }
}

void TstTranslations::everyTextOfTheSourcesIsThere() {
    const QString lupdate = QStringLiteral(HEADWAY_LUPDATE);
    if (!QFile::exists(lupdate)) {
        QSKIP("lupdate is not installed (qt6-l10n-tools)");
    }
    const QTemporaryDir folder;
    const QString fresh = folder.filePath(QStringLiteral("fresh.ts"));
    QProcess process;
    process.setWorkingDirectory(QStringLiteral(HEADWAY_SOURCE_DIR));
    process.start(lupdate,
                  {QStringLiteral("app"), QStringLiteral("ui"), QStringLiteral("-I"),
                   QStringLiteral("."), QStringLiteral("-extensions"), QStringLiteral("cpp,h"),
                   QStringLiteral("-locations"), QStringLiteral("none"), QStringLiteral("-silent"),
                   QStringLiteral("-target-language"), QStringLiteral("zh_CN"),
                   QStringLiteral("-ts"), fresh});
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 0);
    const auto keys = [](const QList<Message>& messages) {
        QSet<QString> all;
        for (const Message& message : messages) {
            all.insert(message.context + QStringLiteral(": ") + message.source);
        }
        return all;
    };
    const QSet<QString> wanted = keys(readMessages(fresh));
    const QSet<QString> translated = keys(readMessages(chineseFile()));
    QVERIFY(wanted.size() > 100);
    for (const QString& key : wanted) {
        QVERIFY2(translated.contains(key),
                 qPrintable(QStringLiteral("run packaging/translations; missing: ") + key));
    }
    for (const QString& key : translated) {
        QVERIFY2(wanted.contains(key),
                 qPrintable(QStringLiteral("run packaging/translations; gone: ") + key));
    }
}

// Words that come from tables and files, which no translation file can miss by itself.
void TstTranslations::wordsOfTablesAreTranslated() {
    QTranslator chinese;
    QVERIFY(chinese.load(QStringLiteral(":/i18n/headway_zh_CN.qm")));
    QCoreApplication::installTranslator(&chinese);
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    // Names of stamps and what stays Latin in both languages.
    const QStringList latin = {
        QStringLiteral("firstVisible"), QStringLiteral("scheduled"), QStringLiteral("lastToken"),
        QStringLiteral("received"),     QStringLiteral("tokens"),    QStringLiteral("TTFT"),
        QStringLiteral("KV"),           QStringLiteral("Holm"),      QStringLiteral("ms"),
        QStringLiteral("MiB"),          QStringLiteral("FP"),        QStringLiteral("INT")};
    const auto verify = [&](const QString& text) {
        for (auto match = word.globalMatch(text); match.hasNext();) {
            const QString found = match.next().captured();
            QVERIFY2(latin.contains(found), qPrintable(found + QStringLiteral(" in ") + text));
        }
    };
    for (const app::Definition& definition : app::definitions()) {
        verify(app::definitionFormula(definition));
    }
    for (const app::Measure& measure : app::experimentMeasures()) {
        verify(app::unitText(measure.unit));
    }
    for (const app::BuiltInExperiment& built : app::builtInExperiments()) {
        const auto experiment = app::parseExperiment(built.toml, built.name);
        QVERIFY(experiment.has_value());
        verify(app::unitText(app::claimUnit(*experiment)));
        for (const std::string& set : experiment->workload.promptSets) {
            verify(app::promptSetLabel(set));
        }
    }
    const auto plan = app::planTuner(10.0, std::nullopt);
    QVERIFY(plan.has_value());
    for (const app::Side& side : plan->experiment.sides) {
        verify(app::configurationText(side));
    }
    QCoreApplication::removeTranslator(&chinese);
}

void TstTranslations::languagesAreCompiledIn() {
    QTranslator chinese;
    QVERIFY(chinese.load(QStringLiteral(":/i18n/headway_zh_CN.qm")));
    QCOMPARE(chinese.translate("charts", "Throughput"), QStringLiteral("吞吐"));
    QVERIFY(QFile::exists(QStringLiteral(":/i18n/headway_en.qm")));
}

QTEST_GUILESS_MAIN(TstTranslations)
#include "tst_translations.moc"

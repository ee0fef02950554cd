// Text of others in a Markdown report: a reader of Markdown shows it as it was, and makes nothing
// of it.
#include "app/report/markdown_writer.h"

#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextList>
#include <QTextTable>

using namespace app::report;

namespace {

struct Read {
    QStringList blocks; // what is shown, a line a block
    QStringList made;   // what was made of it: heading, list, link ...
};

Read readBack(const std::string& markdown) {
    QTextDocument document;
    document.setMarkdown(QString::fromStdString(markdown), QTextDocument::MarkdownDialectGitHub);
    Read read;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QTextBlockFormat format = block.blockFormat();
        const auto made = [&](bool is, const char* what) {
            if (is) {
                read.made += QLatin1String(what) + QLatin1String(": ") + block.text();
            }
        };
        made(format.headingLevel() > 0, "heading");
        made(block.textList() != nullptr, "list");
        made(format.hasProperty(QTextFormat::BlockQuoteLevel), "quote");
        made(format.hasProperty(QTextFormat::BlockTrailingHorizontalRulerWidth), "rule");
        made(format.hasProperty(QTextFormat::BlockCodeFence), "code");
        for (auto piece = block.begin(); !piece.atEnd(); ++piece) {
            const QTextCharFormat text = piece.fragment().charFormat();
            made(text.isAnchor(), "link");
            made(text.isImageFormat(), "picture");
            made(text.fontFixedPitch(), "code");
            made(text.fontItalic(), "emphasis");
        }
        if (!block.text().trimmed().isEmpty()) {
            read.blocks += block.text().trimmed();
        }
    }
    return read;
}

Document documentOf(Block block) {
    return {.kind = {},
            .headline = QStringLiteral("headline"),
            .title = QStringLiteral("title"),
            .sections = {{.title = {}, .note = {}, .blocks = {std::move(block)}}},
            .footer = QStringLiteral("footer")};
}

} // namespace

class TstMarkdownWriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textOfOthersStaysText_data();
    void textOfOthersStaysText();
    void piecesTogetherBeginNothing();
    void everyLineOfADocumentIsGuarded();
    void linksAndNamesAreBroken();
};

void TstMarkdownWriter::textOfOthersStaysText_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"# heading",
                             "### heading",
                             "- item",
                             "+ item",
                             "* item",
                             "1. item",
                             "7) item",
                             "123456789. item",
                             "> quote",
                             "---",
                             "- - -",
                             "***",
                             "===",
                             "| a | b |",
                             "```sh",
                             "~~~",
                             "<script>alert(1)</script>",
                             "<!-- hidden",
                             "[link](https://x.y)",
                             "![p](https://x.y/z)",
                             "[ref]: https://x.y",
                             "<https://x.y>",
                             "https://x.y/z",
                             "www.example.org",
                             "a*b*c _d_",
                             "`code`",
                             "~~gone~~",
                             "- [ ] task",
                             "&lt;b&gt; &copy;",
                             "\\# not",
                             "-",
                             "+",
                             "1.",
                             "2026-12-01 run",
                             "-5 ms",
                             "1.5 ms",
                             "$a$ and $b$"}) {
        QTest::newRow(text) << QString::fromUtf8(text);
    }
    QTest::newRow("indented") << QStringLiteral("        code");
    QTest::newRow("tab") << QStringLiteral("\tcode");
    QTest::newRow("blank, then a list") << QStringLiteral("  - item");
    QTest::newRow("lines") << QStringLiteral("a\n# b\n- c\r\n> d\re\n===");
}

void TstMarkdownWriter::textOfOthersStaysText() {
    QFETCH(QString, text);
    // A carriage return is shown as what can't be shown; no line ends there.
    const QString shown =
        QString(text).replace(u'\r', QChar(QChar::ReplacementCharacter)).simplified();
    const Read paragraph = readBack(writeMarkdown(documentOf(Paragraph{.text = text})));
    // The title is the one heading that there is to be; the footer follows a rule.
    QVERIFY2(paragraph.blocks.size() == 4 || paragraph.blocks.size() == 3,
             qPrintable(paragraph.blocks.join(QLatin1Char('\n'))));
    QCOMPARE(paragraph.blocks.mid(0, 2),
             QStringList({QStringLiteral("title"), QStringLiteral("headline")}));
    QCOMPARE(paragraph.blocks[2].simplified(), shown);
    const QStringList made = paragraph.made.filter(shown.left(3));
    QVERIFY2(made.isEmpty(), qPrintable(made.join(QLatin1Char('\n'))));

    const Read list = readBack(writeMarkdown(documentOf(Bullets{.items = {Text(text)}})));
    QCOMPARE(list.blocks[2].simplified(), shown);
    QCOMPARE(list.made.filter(shown.left(3)), QStringList(QStringLiteral("list: ") + shown));
}

// A number and the dot after it may be two pieces of one sentence.
void TstMarkdownWriter::piecesTogetherBeginNothing() {
    Text text(QStringLiteral("12"));
    text.add(QStringLiteral(". item"));
    const Read read = readBack(writeMarkdown(documentOf(Paragraph{.text = text})));
    QCOMPARE(read.blocks[2], QStringLiteral("12. item"));
    QVERIFY(read.made.filter(QStringLiteral("item")).isEmpty());
}

void TstMarkdownWriter::everyLineOfADocumentIsGuarded() {
    Document document = documentOf(
        Table{.columns = {{QStringLiteral("a")}, {QStringLiteral("b")}},
              .rows = {{.cells = {Text(QStringLiteral("x|y")), Text(QStringLiteral("- c\nd"))}}},
              .more = QStringLiteral("- more")});
    document.headline = QStringLiteral("- headline");
    document.footer = QStringLiteral("1. footer");
    document.sections.front().title = QStringLiteral("part");
    document.sections.front().note = QStringLiteral("+ note");
    document.sections.front().blocks.emplace_back(
        Facts{.title = QStringLiteral("facts"),
              .rows = {{QStringLiteral("- label"), Text(QStringLiteral("# value"))}}});
    const Read read = readBack(writeMarkdown(document));
    for (const char* line :
         {"- headline", "+ note", "- more", "1. footer", "- label: # value", "x|y", "- c d"}) {
        QVERIFY2(read.blocks.contains(QLatin1String(line)),
                 qPrintable(read.blocks.join(QLatin1Char('\n'))));
    }
    QCOMPARE(read.made.filter(QStringLiteral("list")),
             QStringList(QStringLiteral("list: - label: # value")));
    QCOMPARE(read.made.filter(QStringLiteral("heading")).size(), 2);
}

// Qt's reader knows no names of people; GitHub's links an address in text, escaped or not.
void TstMarkdownWriter::linksAndNamesAreBroken() {
    const std::string markdown = writeMarkdown(
        documentOf(Paragraph{.text = QStringLiteral("@team a@b.org http://c.d www.e.f")}));
    QVERIFY(markdown.find("@<!-- -->team a@<!-- -->b.org") != std::string::npos);
    QVERIFY(markdown.find("http\\://c.d www\\.e.f") != std::string::npos);
}

QTEST_MAIN(TstMarkdownWriter)
#include "tst_markdown_writer.moc"

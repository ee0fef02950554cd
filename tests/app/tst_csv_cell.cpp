// Fields of CSV files, and the table of requests that the window writes.
#include "app/observe/request_csv.h"
#include "app/report/csv_cell.h"

#include <QTest>

#include <cmath>
#include <limits>

class TstCsvCell : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fieldsAreQuotedWhereTheyMust();
    void formulasBecomeText_data();
    void formulasBecomeText();
    void otherTextStaysAsItIs();
    void absentNumbersAreEmpty();
    void requestsOfOthersRunNothing();
};

void TstCsvCell::fieldsAreQuotedWhereTheyMust() {
    QCOMPARE(app::csvField("plain"), std::string("plain"));
    QCOMPARE(app::csvField("a,b"), std::string("\"a,b\""));
    QCOMPARE(app::csvField("say \"yes\""), std::string("\"say \"\"yes\"\"\""));
    QCOMPARE(app::csvField("two\nlines"), std::string("\"two\nlines\""));
    QCOMPARE(app::csvField(""), std::string());
}

void TstCsvCell::formulasBecomeText_data() {
    QTest::addColumn<QByteArray>("text");
    for (const char* text :
         {"=1+1",      "+cmd",     "-2",          "@SUM(1)",
          "\t=1",      "\r=1",     "\n=1",        "=HYPERLINK(\"http://x\",\"y\")",
          " =1+1",     "   +cmd",  " \t @SUM(1)", "  -2+3",
          "\v=1",      "\x01=1",   "\u00A0=1",    "\u3000=1",
          "\u200B=1",  "\uFEFF=1", "\u202E=1",    " \uFEFF\u2003+1",
          "\uFF1D1+1", " \uFF0B1", "\uFF0D1",     "\uFF20SUM(1)",
          "\u22121+1"}) {
        QTest::newRow(text) << QByteArray(text);
    }
}

void TstCsvCell::formulasBecomeText() {
    QFETCH(QByteArray, text);
    const std::string cell = app::csvText(text.toStdString());
    const std::string bare = cell.front() == '"' ? cell.substr(1) : cell;
    QVERIFY2(bare.starts_with('\''), cell.c_str());
}

void TstCsvCell::otherTextStaysAsItIs() {
    for (const char* text :
         {"", " ", "  plain", "a=1", "1-2", " 12.5", "\u00A0x", "\u8BF7\u6C42=1", "\xFF\xFE"}) {
        QCOMPARE(app::csvText(text), std::string(text));
    }
}

void TstCsvCell::absentNumbersAreEmpty() {
    QCOMPARE(app::csvNumber(std::nullopt), std::string());
    QCOMPARE(app::csvNumber(std::nan("")), std::string());
    QCOMPARE(app::csvNumber(std::numeric_limits<double>::infinity(), 3), std::string());
    QCOMPARE(app::csvNumber(-2.5), std::string("-2.5")); // a number stays one
    QCOMPARE(app::csvNumber(1.0, 3), std::string("1.000"));
}

void TstCsvCell::requestsOfOthersRunNothing() {
    app::RequestRow row;
    row.label = "=cmd|' /C calc'!A1";
    row.message = "@SUM(1),\"x\"";
    const std::string csv = app::requestCsv(std::vector{row});
    QVERIFY2(csv.find(",'=cmd") != std::string::npos, csv.c_str());
    QVERIFY2(csv.find(",\"'@SUM(1),\"\"x\"\"\"\r\n") != std::string::npos, csv.c_str());
}

QTEST_GUILESS_MAIN(TstCsvCell)
#include "tst_csv_cell.moc"

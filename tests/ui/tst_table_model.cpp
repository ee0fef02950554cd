#include "ui/models/table_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <random>

namespace {

struct Row {
    int id = 0;
    double value = 0.0;
    QString name;
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<ui::Column<Row>> columns() {
    using Column = ui::Column<Row>;
    return {Column([] { return QStringLiteral("Id"); },
                   [](const Row& row) { return QString::number(row.id); })
                .sortedBy([](const Row& row) { return static_cast<double>(row.id); })
                .atRight(),
            Column([] { return QStringLiteral("Value"); },
                   [](const Row& row) { return QString::number(row.value); })
                .sortedBy([](const Row& row) { return row.value; }),
            Column([] { return QStringLiteral("Name"); }, [](const Row& row) { return row.name; })
                .withToolTip([](const Row& row) { return row.name + u'!'; })};
}

QList<int> shownIds(const ui::TableModel<Row>& model) {
    QList<int> ids;
    for (int i = 0; i < model.rowCount(); ++i) {
        ids.push_back(model.rowAt(i).id);
    }
    return ids;
}

Row row(int id, double value, const char* name = "x") {
    return {.id = id, .value = value, .name = QString::fromLatin1(name)};
}

} // namespace

class TstTableModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsTextAlignmentAndToolTip();
    void sortsByValueNotByText();
    void absentValuesSortLastBothWays();
    void appendedRowsTakeTheirPlaces();
    void selectionStaysOnItsRow();
    void filterHidesAndShows();
    void droppingTheOldestKeepsTheRest();
    void changesAreAnnounced();
    void randomOperationsKeepTheOrder();
    void aMillionRowsAppendAndSort();
};

void TstTableModel::showsTextAlignmentAndToolTip() {
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({row(1, 2.5, "one")});
    QCOMPARE(model.data(model.index(0, 1)).toString(), QStringLiteral("2.5"));
    QCOMPARE(model.data(model.index(0, 2), Qt::ToolTipRole).toString(), QStringLiteral("one!"));
    QCOMPARE(model.headerData(0, Qt::Horizontal).toString(), QStringLiteral("Id"));
    QCOMPARE(model.data(model.index(0, 0), Qt::TextAlignmentRole).toInt(),
             int(Qt::AlignRight | Qt::AlignVCenter));
    QVERIFY(!model.data(model.index(0, 0), Qt::CheckStateRole).isValid());
    QVERIFY(!model.data({}, Qt::DisplayRole).isValid());
    QVERIFY(!model.headerData(7, Qt::Horizontal).isValid());
}

void TstTableModel::sortsByValueNotByText() {
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({row(1, 9), row(2, 100), row(3, 20)});
    model.sort(1, Qt::AscendingOrder);
    QCOMPARE(shownIds(model), (QList<int>{1, 3, 2}));
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(shownIds(model), (QList<int>{2, 3, 1}));
    model.sort(-1);
    QCOMPARE(shownIds(model), (QList<int>{1, 2, 3}));
}

void TstTableModel::absentValuesSortLastBothWays() {
    ui::TableModel<Row> model(columns());
    model.setRows({row(1, kNone), row(2, 5), row(3, kNone), row(4, 1)});
    model.sort(1, Qt::AscendingOrder);
    QCOMPARE(shownIds(model), (QList<int>{4, 2, 1, 3}));
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(shownIds(model), (QList<int>{2, 4, 1, 3}));
}

void TstTableModel::appendedRowsTakeTheirPlaces() {
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.sort(1, Qt::DescendingOrder);
    model.append({row(1, 10), row(2, 30)});
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.append({row(3, 20), row(4, 40), row(5, 5), row(6, 50)});
    QCOMPARE(shownIds(model), (QList<int>{6, 4, 2, 3, 1, 5}));
    QCOMPARE(inserted.count(), 3); // {6 4}, {3}, {5}
    model.append({});
    QCOMPARE(inserted.count(), 3);
}

void TstTableModel::selectionStaysOnItsRow() {
    ui::TableModel<Row> model(columns());
    model.setRows({row(1, 10), row(2, 30), row(3, 20)});
    const QPersistentModelIndex chosen = model.index(1, 2);
    model.sort(1, Qt::AscendingOrder);
    QCOMPARE(model.rowAt(chosen.row()).id, 2);
    QCOMPARE(chosen.column(), 2);
    model.append({row(4, 5), row(5, 25)});
    QCOMPARE(model.rowAt(chosen.row()).id, 2);
    model.dropOldest(1);
    QCOMPARE(model.rowAt(chosen.row()).id, 2);
    model.dropOldest(1);
    QVERIFY(!chosen.isValid());
}

void TstTableModel::filterHidesAndShows() {
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({row(1, 10), row(2, 30), row(3, 20)});
    model.setFilter([](const Row& value) { return value.value > 15; });
    QCOMPARE(shownIds(model), (QList<int>{2, 3}));
    model.append({row(4, 1), row(5, 99)});
    QCOMPARE(shownIds(model), (QList<int>{2, 3, 5}));
    QCOMPARE(model.shownWhere([](const Row& value) { return value.id == 5; }), 2);
    QCOMPARE(model.shownWhere([](const Row& value) { return value.id == 4; }), -1);
    model.setFilter({});
    QCOMPARE(model.rowCount(), 5);
}

void TstTableModel::droppingTheOldestKeepsTheRest() {
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.sort(1);
    model.setRows({row(1, 10), row(2, 30), row(3, 20), row(4, 15)});
    model.dropOldest(2);
    QCOMPARE(shownIds(model), (QList<int>{4, 3}));
    model.append({row(5, 17)});
    QCOMPARE(shownIds(model), (QList<int>{4, 5, 3}));
    model.dropOldest(99);
    QCOMPARE(model.rowCount(), 0);
}

void TstTableModel::changesAreAnnounced() {
    ui::TableModel<Row> model(columns());
    model.setRows({row(1, 10), row(2, 30)});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    QSignalSpy header(&model, &QAbstractItemModel::headerDataChanged);
    model.change([](const Row& value) { return value.id == 2; },
                 [](Row& value) { value.name = QStringLiteral("new"); });
    QCOMPARE(changed.count(), 1);
    QCOMPARE(model.rowAt(1).name, QStringLiteral("new"));
    model.retranslate();
    QCOMPARE(header.count(), 1);
}

void TstTableModel::randomOperationsKeepTheOrder() {
    std::mt19937 random(11);
    std::uniform_int_distribution<int> value(0, 20), count(0, 9), operation(0, 9);
    ui::TableModel<Row> model(columns());
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.sort(1, Qt::DescendingOrder);
    int next = 0;
    for (int round = 0; round < 300; ++round) {
        if (operation(random) == 0) {
            model.dropOldest(static_cast<std::size_t>(count(random)));
        } else {
            std::vector<Row> rows;
            for (int i = count(random); i > 0; --i) {
                rows.push_back(row(next++, value(random)));
            }
            model.append(std::move(rows));
        }
        QCOMPARE(model.rowCount(), static_cast<int>(model.rows().size()));
        for (int i = 1; i < model.rowCount(); ++i) {
            const Row& a = model.rowAt(i - 1);
            const Row& b = model.rowAt(i);
            QVERIFY(a.value > b.value || (a.value == b.value && a.id > b.id));
        }
    }
}

void TstTableModel::aMillionRowsAppendAndSort() {
    ui::TableModel<Row> model(columns());
    std::vector<Row> rows;
    std::mt19937 random(3);
    for (int i = 0; i < 1'000'000; ++i) {
        rows.push_back({.id = i, .value = static_cast<double>(random()), .name = {}});
    }
    model.setRows(std::move(rows));
    QElapsedTimer timer;
    timer.start();
    model.sort(1, Qt::DescendingOrder);
    QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    timer.restart();
    for (int i = 0; i < 100; ++i) {
        model.append({row(1'000'000 + i, static_cast<double>(random()))});
    }
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(model.rowCount(), 1'000'100);
}

QTEST_MAIN(TstTableModel)
#include "tst_table_model.moc"

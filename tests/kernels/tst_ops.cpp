// Every operator of every instruction set of this machine against the double-precision reference.
#include "kernels/check.h"
#include "kernels/thread_pool.h"

#include <QTest>

#include <fmt/format.h>

#include <random>

class TstOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperatorIsCloseToTheReference_data();
    void everyOperatorIsCloseToTheReference();
};

void TstOps::everyOperatorIsCloseToTheReference_data() {
    QTest::addColumn<QString>("isa");
    for (const std::string& isa : kernels::cpuIsas()) {
        QTest::addRow("%s", isa.c_str()) << QString::fromStdString(isa);
    }
}

void TstOps::everyOperatorIsCloseToTheReference() {
    QFETCH(QString, isa);
    const std::uint64_t seed = std::random_device()();
    kernels::ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    const auto results = kernels::checkOps(*ops, seed);
    QVERIFY(results.size() > 150);
    for (const kernels::CheckResult& result : results) {
        QVERIFY2(result.passed,
                 fmt::format("{} on {}: error {:.3g}, bound {:.3g}, seed {}; {}", result.name,
                             isa.toStdString(), result.error, result.bound, seed, result.detail)
                     .c_str());
    }
}

QTEST_APPLESS_MAIN(TstOps)
#include "tst_ops.moc"

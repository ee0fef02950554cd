// Two tenants measured by loading: over a copy of the model each, and over one, on a real engine.
#include "app/experiment/block_work.h"
#include "app/load/workload.h"
#include "engine/serving.h"
#include "tests/support/default_model.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

class TstTenantsBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothSidesAreMeasured();
    void oneBaseTakesLess();

private:
    app::WorkOutcome measured(const std::filesystem::path& model, app::Tenants tenants);
};

app::WorkOutcome TstTenantsBlock::measured(const std::filesystem::path& model,
                                           app::Tenants tenants) {
    engine::EngineConfig config;
    config.checksQuality = false;
    config.kvBlocks = 64;
    app::WorkOutcome failed;
    auto backend = engine::makeServingEngine(model, config);
    if (!backend) {
        failed.problem = backend.error().message;
        return failed;
    }
    app::WorkSetup setup;
    setup.backend = backend->get();
    setup.model = model;
    setup.config = config;
    setup.workload.promptSets = {"english"};
    setup.tenants = tenants;
    setup.maker = [](const std::filesystem::path& file, const engine::EngineConfig& wanted,
                     const std::function<void(const engine::LoadProgress&)>& progress,
                     std::stop_token stop) {
        return engine::makeServingEngine(file, wanted, progress, stop);
    };
    auto work = app::makeBlockWork(app::Method::Load, std::move(setup));
    if (!work) {
        failed.problem = work.error().message;
        return failed;
    }
    (*work)->start();
    [&] { QTRY_VERIFY_WITH_TIMEOUT((*work)->isFinished(), 60000); }();
    return (*work)->outcome();
}

void TstTenantsBlock::bothSidesAreMeasured() {
    const QTemporaryDir folder;
    const std::filesystem::path model = folder.filePath(QStringLiteral("tiny.gguf")).toStdString();
    tests::writeTinyModel(model);
    for (const app::Tenants tenants : {app::Tenants::Copies, app::Tenants::Adapters}) {
        const app::WorkOutcome outcome = measured(model, tenants);
        QVERIFY2(outcome.problem.empty(), outcome.problem.c_str());
        QVERIFY(outcome.isWhole);
        QVERIFY(outcome.figures.contains("tenants_mib"));
        QCOMPARE(outcome.ended, std::int64_t(0)); // of the session's engine
    }
}

void TstTenantsBlock::oneBaseTakesLess() {
    const auto model = tests::defaultModel();
    if (model.empty()) {
        QSKIP("The default model is not there.");
    }
    const app::WorkOutcome copies = measured(model, app::Tenants::Copies);
    const app::WorkOutcome shared = measured(model, app::Tenants::Adapters);
    QVERIFY2(copies.problem.empty(), copies.problem.c_str());
    QVERIFY2(shared.problem.empty(), shared.problem.c_str());
    const double apart = copies.figures.at("tenants_mib").value;
    const double together = shared.figures.at("tenants_mib").value;
    qInfo("%s", fmt::format("{:.0f} MiB apart, {:.0f} MiB together", apart, together).c_str());
    QVERIFY(together < 0.8 * apart);
}

QTEST_GUILESS_MAIN(TstTenantsBlock)
#include "tst_tenants_block.moc"

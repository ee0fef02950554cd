// What the machine says of itself, the choice of instruction set, and refused weights.
#include "kernels/ceilings.h"
#include "kernels/check_inputs.h"
#include "kernels/cores.h"
#include "kernels/ops.h"
#include "kernels/thread_pool.h"

#include <QTest>

#include <climits>

#include <algorithm>
#include <cmath>

class TstMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMachineRunsScalar();
    void machineIsDescribed();
    void quotasBoundTheCores();
    void bandwidthIsPlausible();
    void ceilingsArePlausible();
    void unknownIsasAreRefused();
    void weightsKnowTheirSize();
    void wrongWeightsAreRefused();
    void wrongShapesAreRefused();
    void brokenActivationsAreNotHidden();
};

using kernels::Buffer;
using kernels::Format;
using kernels::Shape;
using kernels::WeightLayout;

void TstMachine::everyMachineRunsScalar() {
    const auto isas = kernels::cpuIsas();
    QVERIFY(!isas.empty());
    QCOMPARE(isas.back(), std::string("scalar"));
    kernels::ThreadPool pool(1);
    QCOMPARE(kernels::makeCpuOps(pool)->isa(), kernels::makeCpuOps(pool, isas.front())->isa());
    QCOMPARE(kernels::makeCpuOps(pool, "scalar")->isa(), std::string("scalar"));
}

void TstMachine::machineIsDescribed() {
    const kernels::Machine machine = kernels::describeMachine();
    QVERIFY(!machine.cpu.empty());
    QVERIFY(!machine.isa.empty());
    QVERIFY(machine.cores >= 1);
    QVERIFY(machine.memoryBytes > (std::uint64_t{256} << 20));
}

void TstMachine::quotasBoundTheCores() {
    using kernels::coresOfQuota;
    QVERIFY(coresOfQuota("200000 100000") == 2);
    QVERIFY(coresOfQuota("200001 100000\n") == 3);
    QVERIFY(coresOfQuota("50000 100000") == 1);
    QVERIFY(coresOfQuota("1 1000000") == 1);
    QVERIFY(coresOfQuota("9223372036854775807 1") == INT_MAX);
    for (const char* none : {"max 100000", "", "many", "200000", "0 100000", "-1 100000",
                             "100000 0", "99999999999999999999 100000"}) {
        QVERIFY2(!coresOfQuota(none), none);
    }
    QVERIFY(kernels::usableCores() >= 1);
    QCOMPARE(kernels::describeMachine().cores, kernels::usableCores());
}

void TstMachine::bandwidthIsPlausible() {
    kernels::ThreadPool pool(2);
    const double bytesPerSecond = kernels::measureReadBandwidth(pool);
#if defined(__SANITIZE_THREAD__)
    const double least = 5e6; // every read is looked at
#else
    const double least = 5e8;
#endif
    QVERIFY(bytesPerSecond > least && bytesPerSecond < 2e12);
}

void TstMachine::ceilingsArePlausible() {
    kernels::ThreadPool pool(1);
    for (const std::string& isa : kernels::cpuIsas()) {
        const kernels::Ceilings ceilings = kernels::measureCeilings(pool, isa);
        QVERIFY(ceilings.copyBytesPerSecond > 1e8 && ceilings.copyBytesPerSecond < 2e12);
        QCOMPARE(ceilings.int8PerSecond.has_value(), isa != "scalar");
        QCOMPARE(ceilings.f32PerSecond.has_value(), isa != "scalar");
        QVERIFY(!ceilings.bf16PerSecond || isa == "avx512");
        for (const auto& products :
             {ceilings.int8PerSecond, ceilings.bf16PerSecond, ceilings.f32PerSecond}) {
            QVERIFY(!products || (*products > 1e8 && *products < 1e13)); // of one core
        }
    }
    QVERIFY_EXCEPTION_THROWN(kernels::measureCeilings(pool, "avx1024"), std::invalid_argument);
}

void TstMachine::unknownIsasAreRefused() {
    kernels::ThreadPool pool(1);
    try {
        kernels::makeCpuOps(pool, "avx1024");
        QFAIL("an unknown instruction set was accepted");
    } catch (const std::invalid_argument& error) {
        QVERIFY(std::string(error.what()).find("avx1024") != std::string::npos);
        QVERIFY(std::string(error.what()).find("scalar") != std::string::npos);
    }
}

void TstMachine::weightsKnowTheirSize() {
    kernels::ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    const Buffer source = Buffer::cpu(Format::Q8_0, Shape{48, 64});
    const auto packed = ops->prepare(source.view(), WeightLayout::Packed);
    QCOMPARE(packed->rows(), std::int64_t{48});
    QCOMPARE(packed->columns(), std::int64_t{64});
    QVERIFY(packed->format() == Format::Q8_0);
    QCOMPARE(packed->bytes(), source.bytes()); // no format grows but by its last tile
    QCOMPARE(packed->trafficBytes(), source.bytes());
    const auto file = ops->prepare(source.view(), WeightLayout::File);
    QCOMPARE(file->bytes(), std::size_t{0});
    QCOMPARE(file->trafficBytes(), source.bytes());
}

void TstMachine::wrongWeightsAreRefused() {
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    const auto prepare = [&](Format format, Shape shape) {
        const Buffer source = Buffer::cpu(Format::F32, Shape{64, 64});
        kernels::View view = source.view();
        view.format = format;
        view.shape = shape;
        return ops->prepare(view, WeightLayout::Packed);
    };
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::I32, Shape{4, 32}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::F64, Shape{4, 32}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::Q4_0, Shape{4, 33}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::Q4_K, Shape{4, 128}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::F32, Shape{64}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, prepare(Format::F32, Shape{0, 64}));
    QVERIFY(prepare(Format::Q4_0, Shape{4, 32}) != nullptr);
}

void TstMachine::wrongShapesAreRefused() {
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    const Buffer source = Buffer::cpu(Format::Q8_0, Shape{48, 64});
    const auto weight = ops->prepare(source.view(), WeightLayout::Packed);
    const kernels::Weight* pointer = weight.get();
    const Buffer x = Buffer::cpu(Format::F32, Shape{2, 64});
    const Buffer narrow = Buffer::cpu(Format::F32, Shape{2, 32});
    const Buffer out = Buffer::cpu(Format::F32, Shape{2, 48});
    const auto product = [&](const Buffer& in, const Buffer& result) {
        const kernels::View view = result.view();
        ops->matmul(in.view(), {&pointer, 1}, {&view, 1});
    };
    product(x, out);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, product(narrow, out));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, product(x, narrow));
    const std::vector<std::int32_t> outside{48};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->embed(*weight, outside, x.view()));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->add(x.view(), narrow.view()));
    const std::vector<std::int32_t> rows{2};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->gatherRows(x.view(), rows, x.view()));
}

void TstMachine::brokenActivationsAreNotHidden() {
    // Rounding to integers must not turn NaN or infinity into an ordinary number.
    kernels::check::Inputs inputs(1);
    for (const std::string& isa : kernels::cpuIsas()) {
        kernels::ThreadPool pool(1);
        const auto ops = kernels::makeCpuOps(pool, isa);
        const Buffer source = inputs.weights(Format::Q4_1, Shape{16, 64});
        for (const auto precision :
             {kernels::ActivationPrecision::Int8, kernels::ActivationPrecision::Int16}) {
            const auto weight = ops->prepare(source.view(), WeightLayout::Packed, precision);
            const kernels::Weight* pointer = weight.get();
            for (const float poison : {NAN, INFINITY, -INFINITY}) {
                Buffer x = inputs.normal(Shape{2, 64}, 1.0F);
                x.view().f32()[64 + 37] = poison;
                Buffer out = inputs.poisoned(Shape{2, 16});
                const kernels::View view = out.view();
                ops->matmul(x.view(), {&pointer, 1}, {&view, 1});
                for (int i = 0; i < 16; ++i) {
                    QVERIFY(std::isfinite(view.f32()[i]));
                    QVERIFY(!std::isfinite(view.f32()[16 + i]));
                }
            }
            // Numbers too small for a scale round to zero instead of overflowing its inverse.
            Buffer tiny = inputs.normal(Shape{1, 64}, 1e-41F);
            Buffer out = inputs.poisoned(Shape{1, 16});
            const kernels::View view = out.view();
            ops->matmul(tiny.view(), {&pointer, 1}, {&view, 1});
            for (int i = 0; i < 16; ++i) {
                QVERIFY(std::abs(view.f32()[i]) < 1e-30F);
            }
        }
    }
}

QTEST_APPLESS_MAIN(TstMachine)
#include "tst_machine.moc"

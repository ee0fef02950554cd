// The CUDA operators, their own sources compiled as C++ and run by the executor of
// tests/support/simt: against the double-precision reference, under several orders of threads, in
// any batch, and with a runtime that fails.
#include "kernels/check.h"
#include "kernels/check_inputs.h"
#include "kernels/cuda/make_cuda_ops.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"
#include "tests/support/simt/device.h"

#include <QTest>

#include <cstring>
#include <random>
#include <vector>

using kernels::ActivationPrecision;
using kernels::Buffer;
using kernels::Format;
using kernels::Shape;
using kernels::WeightLayout;
using kernels::check::Inputs;

namespace {

std::vector<float> product(kernels::Ops& ops, const kernels::View& x,
                           const kernels::Weight& weight) {
    const Buffer out = Buffer::cpu(Format::F32, {x.shape[0], weight.rows()});
    const kernels::Weight* pointer = &weight;
    const kernels::View view = out.view();
    ops.matmul(x, {&pointer, 1}, {&view, 1});
    return {view.f32(), view.f32() + view.shape.elements()};
}

kernels::View rowsOf(const Buffer& x, std::int64_t first, std::int64_t count) {
    kernels::View view = x.view().first(count);
    view.data = x.view().f32() + first * x.view().shape.rowLength();
    return view;
}

// A little of everything, in memory of the device.
void useDevice() {
    kernels::ThreadPool pool(1);
    Inputs inputs(3);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    const Buffer source = inputs.weights(Format::Q4_0, {5, 64});
    const auto weight =
        ops->prepare(source.view(), WeightLayout::Packed, ActivationPrecision::Int8);
    const Buffer x = inputs.normal({2, 64}, 1.0F);
    const Buffer onDevice = ops->allocate(Format::F32, {2, 64});
    ops->copy(x.view(), onDevice.view());
    const Buffer out = ops->allocate(Format::F32, {2, 5});
    const kernels::Weight* pointer = weight.get();
    const kernels::View view = out.view();
    ops->matmul(onDevice.view(), {&pointer, 1}, {&view, 1});
    const Buffer result = Buffer::cpu(Format::F32, {2, 5});
    ops->copy(out.view(), result.view());
    const auto wanted = product(*ops, x.view(), *weight);
    if (std::memcmp(wanted.data(), result.view().data, result.bytes()) != 0) {
        throw std::logic_error("the same product differs");
    }
}

} // namespace

class TstCudaOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperatorMatchesTheReference();
    void productsOfRandomShapesAreClose();
    void rowsDoNotDependOnTheirBatch_data();
    void rowsDoNotDependOnTheirBatch();
    void whatIsNotAskedForStaysAsItIs();
    void wrongArgumentsAreRefused();
    void withoutADeviceThereIsAReason();
    void tooLargeBuffersAreRefused();
    void failingCallsLeakNothing();
};

// Under another order of threads each time; the orders that are not drawn run the tests below.
void TstCudaOps::everyOperatorMatchesTheReference() {
    const std::uint64_t seed = std::random_device()();
    const auto schedule = static_cast<simt::Schedule>(seed % 4);
    const auto workTime = static_cast<simt::WorkTime>(seed / 4 % 2);
    simt::Device device({.schedule = schedule, .seed = seed, .workTime = workTime});
    {
        kernels::ThreadPool pool(2);
        const auto ops = kernels::cuda::makeCudaOps(pool);
        const auto results = kernels::checkOps(*ops, seed);
        QVERIFY(results.size() > 150);
        for (const kernels::CheckResult& result : results) {
            QVERIFY2(result.passed,
                     fmt::format("{}: error {:.3g}, bound {:.3g}, seed {}, order and work {}; {}",
                                 result.name, result.error, result.bound, seed, seed % 8,
                                 result.detail)
                         .c_str());
        }
    }
    QCOMPARE(device.leaks().size(), std::size_t{0});
}

void TstCudaOps::productsOfRandomShapesAreClose() {
    const std::uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    const auto upTo = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    simt::Device device({.schedule = simt::Schedule::Random, .seed = seed});
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    Inputs inputs(seed);
    for (int round = 0; round < 12; ++round) {
        auto format = static_cast<Format>(random() % (static_cast<unsigned>(Format::TQ2_0) + 1));
        const kernels::FormatTraits& traits = kernels::traits(format);
        const std::int64_t columns = traits.blockElements * upTo(1200 / traits.blockElements);
        const Buffer source = inputs.weights(format, {upTo(40), columns});
        kernels::View matrix = source.view();
        if (format == Format::NVFP4 && random() % 2 == 0) {
            matrix.factor = 3.7e-4F; // as small as files have it
        }
        const auto precision =
            random() % 2 == 0 ? ActivationPrecision::Int8 : ActivationPrecision::Int16;
        const Buffer x = inputs.normal({upTo(20), columns}, 1.0F);
        const auto weight = ops->prepare(matrix, WeightLayout::Packed, precision);
        const auto got = product(*ops, x.view(), *weight);
        const auto values = kernels::reference::decode(x.view());
        const auto wanted = kernels::reference::matmul(
            traits.blockElements > 1 ? kernels::reference::roundActivations(values, precision)
                                     : values,
            kernels::reference::decode(matrix), columns);
        std::string text;
        const double bound = 8.0 * 0x1p-24 * std::sqrt(static_cast<double>(columns) + 16.0);
        QVERIFY2(
            tests::closeTo(std::span<const float>(got), wanted, bound, &text),
            fmt::format("{}, {} columns, seed {}: {}", traits.name, columns, seed, text).c_str());
    }
}

void TstCudaOps::rowsDoNotDependOnTheirBatch_data() {
    QTest::addColumn<int>("format");
    for (const Format format :
         {Format::F32, Format::BF16, Format::F8, Format::Q4_1, Format::Q6_K, Format::IQ4_XS}) {
        QTest::addRow("%s", std::string(kernels::traits(format).name).c_str())
            << static_cast<int>(format);
    }
}

void TstCudaOps::rowsDoNotDependOnTheirBatch() {
    QFETCH(const int, format);
    constexpr std::int64_t kTokens = 19, kColumns = 512, kRows = 21;
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    Inputs inputs(5);
    const auto wanted = static_cast<Format>(format);
    Buffer source = inputs.weights(wanted == Format::F8 ? Format::F32 : wanted, {kRows, kColumns});
    kernels::View matrix = source.view();
    if (wanted == Format::F8) { // a row of codes and its scale
        const std::size_t rowBytes = kernels::weightRowBytes(Format::F8, kColumns);
        source = Buffer::cpu(Format::I8, {static_cast<std::int64_t>(rowBytes) * kRows});
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(source.bytes()); ++i) {
            static_cast<std::uint8_t*>(source.view().data)[i] =
                static_cast<std::uint8_t>(inputs.bits() % 120);
        }
        matrix = {.data = source.view().data, .format = Format::F8, .shape = {kRows, kColumns}};
        for (std::size_t row = 0; row < kRows; ++row) {
            const float scale = 0.01F;
            std::memcpy(static_cast<std::byte*>(matrix.data) + row * rowBytes + kColumns, &scale,
                        sizeof scale);
        }
    }
    const auto weight = ops->prepare(matrix, WeightLayout::Packed, ActivationPrecision::Int16);
    const Buffer x = inputs.activations({kTokens, kColumns});
    const auto all = product(*ops, x.view(), *weight);
    for (const std::int64_t count : {1, 2, 9}) {
        for (std::int64_t first = 0; first + count <= kTokens; first += count) {
            const auto some = product(*ops, rowsOf(x, first, count), *weight);
            QVERIFY(std::memcmp(some.data(), all.data() + first * kRows,
                                some.size() * sizeof(float)) == 0);
        }
    }
}

// What is longer than the weights, and rows that no group writes.
void TstCudaOps::whatIsNotAskedForStaysAsItIs() {
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    Inputs inputs(9);
    const Buffer source = inputs.weights(Format::Q8_0, {3, 32});
    std::vector<std::unique_ptr<kernels::Weight>> stack;
    stack.push_back(ops->prepare(source.view(), WeightLayout::Packed, ActivationPrecision::Int8));
    const Buffer x = inputs.normal({4, 40}, 1.0F);
    const Buffer out = Buffer::cpu(Format::F32, {6, 5});
    std::fill_n(out.view().f32(), 30, 7.0F);
    const kernels::RowGroup group{
        .weight = 0, .rows = 2, .firstSource = 1, .firstOut = 1, .outStep = 3};
    const kernels::WeightStack stacks[] = {stack};
    const kernels::View view = out.view();
    ops->matmulGroups(x.view(), {}, {&group, 1}, stacks, {&view, 1});
    for (std::int64_t i = 0; i < 30; ++i) {
        const bool isWritten = (i / 5 == 1 || i / 5 == 4) && i % 5 < 3;
        QCOMPARE(view.f32()[i] != 7.0F, isWritten);
    }
}

void TstCudaOps::wrongArgumentsAreRefused() {
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    Inputs inputs(11);
    const Buffer x = inputs.normal({2, 64}, 1.0F);
    const Buffer out = inputs.normal({2, 64}, 1.0F);
    const Buffer halves = Buffer::cpu(Format::F16, {2, 64});
    const std::vector<std::int32_t> rows{0, 2};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->gatherRows(x.view(), rows, out.view()));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->add(x.view(), halves.view()));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             ops->rmsNorm(x.view(), x.view(), 1e-5F, out.view()));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->copy(x.view(), halves.view()));
    const kernels::View integers{.data = x.view().data, .format = Format::I32, .shape = {2, 64}};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->prepare(integers, WeightLayout::File));
    const kernels::View ragged{.data = x.view().data, .format = Format::Q4_0, .shape = {2, 48}};
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->prepare(ragged, WeightLayout::Packed));
    const auto weight = kernels::makeCpuOps(pool)->prepare(x.view(), WeightLayout::Packed);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ops->embed(*weight, rows, out.view()));
}

void TstCudaOps::withoutADeviceThereIsAReason() {
    kernels::ThreadPool pool(1);
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, kernels::cuda::makeCudaOps(pool));
    simt::Device device;
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, kernels::cuda::makeCudaOps(pool, 3));
}

void TstCudaOps::tooLargeBuffersAreRefused() {
    simt::Device device({.memoryBytes = std::size_t{64} << 20});
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, ops->allocate(Format::F32, {1 << 20, 1 << 10}));
    QVERIFY(ops->allocate(Format::F32, {1 << 10}).bytes() == 4096); // goes on
}

// Every call of the runtime fails once, and so does every allocation.
void TstCudaOps::failingCallsLeakNothing() {
    std::vector<simt::Call> calls;
    {
        simt::Device device;
        useDevice();
        calls = device.calls();
        QCOMPARE(device.leaks().size(), std::size_t{0});
    }
    QVERIFY(calls.size() > 20);
    for (std::size_t n = 1; n <= calls.size(); ++n) {
        const std::string name = calls[n - 1].name;
        simt::Device device;
        device.failCall(n);
        try {
            useDevice();
        } catch (const std::exception& error) {
            QVERIFY2(std::string(error.what()).size() > 10, name.c_str());
        }
        if (name != "cudaFree" && name != "cudaStreamDestroy") { // what fails is not given back
            QVERIFY2(device.leaks().empty(), fmt::format("{}, call {}", name, n).c_str());
        }
    }
    for (std::size_t n = 1; n < 8; ++n) {
        simt::Device device;
        device.failAllocation(n);
        try {
            useDevice();
        } catch (const std::bad_alloc& error) {
            QVERIFY(std::string(error.what()).find("CUDA") != std::string::npos);
        }
        QVERIFY(device.leaks().empty());
    }
}

QTEST_APPLESS_MAIN(TstCudaOps)
#include "tst_cuda_ops.moc"

// The emulated CUDA runtime: what is refused, counted and put in order; work that runs as late as
// it may shows whoever did not wait.
#include "tests/kernels/simt_samples.h"
#include "tests/support/simt/device.h"
#include "tests/support/simt/device_array.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

using simt::DeviceArray;
using simt::FindingKind;
using tests::Fault;

class TstSimtRuntime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedMemoryIsLimitedByTheArchitecture();
    void leaksAreCounted();
    void chosenCallsFail();
    void aLostDeviceStaysLost();
    void withoutADeviceThereIsNoGpu();
    void capturedWorkRunsWhenTheGraphDoes();
    void lateWorkShowsWhoDidNotWait();
    void eventsOrderWorkOfTwoStreams();
    void memoryFreedInFlightIsFound();
    void theHostCantTouchDeviceMemory();
};

namespace {

// 1, 2, 3 ...: sums are exact.
std::vector<float> numbers(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
}

std::optional<simt::Finding> findingOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const simt::Finding& finding) {
        return finding;
    }
    return std::nullopt;
}

} // namespace

void TstSimtRuntime::sharedMemoryIsLimitedByTheArchitecture() {
    for (const simt::Architecture& architecture : simt::kArchitectures) {
        simt::Device device({.architecture = architecture});
        int major = 0, most = 0;
        QCOMPARE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
        QCOMPARE(major, architecture.major);
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        const auto ask = [](int bytes) {
            return cudaFuncSetAttribute(reinterpret_cast<const void*>(&tests::passBarriers),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        };
        QCOMPARE(ask(most), cudaSuccess);
        QCOMPARE(ask(most + 1), cudaErrorInvalidValue);
    }
}

void TstSimtRuntime::leaksAreCounted() {
    simt::Device device;
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    QCOMPARE(cudaMalloc(&memory, 1000), cudaSuccess);
    QCOMPARE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    QCOMPARE(device.leaks().size(), std::size_t{2});
    QCOMPARE(device.leaks()[0], std::string("1 allocations of 1000 bytes of device memory"));
    QCOMPARE(cudaFree(memory), cudaSuccess);
    QCOMPARE(cudaStreamDestroy(stream), cudaSuccess);
    QVERIFY(device.leaks().empty());
    // Twice: destructors free, so it is no exception.
    QCOMPARE(cudaFree(memory), cudaErrorLaunchFailure);
    QCOMPARE(device.leaks().size(), std::size_t{1});
}

void TstSimtRuntime::chosenCallsFail() {
    simt::Device device;
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    device.failCall(2, cudaErrorUnknown);
    QCOMPARE(cudaMalloc(&memory, 16), cudaSuccess);
    QCOMPARE(cudaStreamCreate(&stream), cudaErrorUnknown);
    QVERIFY(stream == nullptr);
    QCOMPARE(cudaGetLastError(), cudaErrorUnknown);
    QCOMPARE(cudaGetLastError(), cudaSuccess);
    device.failCall(1, cudaErrorLaunchFailure);
    QCOMPARE(cudaFree(memory), cudaErrorLaunchFailure); // of earlier work: it is free
    QVERIFY(device.leaks().empty());

    device.failAllocation(1);
    QCOMPARE(cudaMalloc(&memory, 16), cudaErrorMemoryAllocation);
    QCOMPARE(cudaMalloc(&memory, std::size_t{9} << 30), cudaErrorMemoryAllocation);
    QVERIFY(device.leaks().empty());
    QCOMPARE(device.calls().size(), std::size_t{5});
}

void TstSimtRuntime::aLostDeviceStaysLost() {
    simt::Device device;
    void* memory = nullptr;
    device.loseDevice(2);
    QCOMPARE(cudaMalloc(&memory, 16), cudaSuccess);
    QCOMPARE(cudaMemset(memory, 0, 16), cudaErrorIllegalAddress);
    QCOMPARE(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    QCOMPARE(cudaGetLastError(), cudaErrorIllegalAddress);
    QCOMPARE(cudaGetLastError(), cudaErrorIllegalAddress);
    QCOMPARE(cudaFree(memory), cudaErrorIllegalAddress);
    QVERIFY(device.leaks().empty());
}

void TstSimtRuntime::withoutADeviceThereIsNoGpu() {
    int count = 7;
    QCOMPARE(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    QCOMPARE(count, 0);
    void* memory = nullptr;
    QCOMPARE(cudaMalloc(&memory, 16), cudaErrorNoDevice);
}

void TstSimtRuntime::capturedWorkRunsWhenTheGraphDoes() {
    simt::Device device;
    const auto values = numbers(128);
    const DeviceArray<float> in(values), out(std::vector<float>(1, -7.0F));
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaStreamCreate(&stream);

    QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    tests::sumBlocks(in.data(), out.data(), 128, Fault::None, stream);
    QCOMPARE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    QCOMPARE(cudaGraphInstantiate(&executable, graph), cudaSuccess);
    QCOMPARE(out.read()[0], -7.0F);
    QCOMPARE(cudaGraphLaunch(executable, stream), cudaSuccess);
    QCOMPARE(out.read()[0], 128.0F * 129.0F / 2.0F);

    // What waits or allocates spoils a capture.
    void* memory = nullptr;
    QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    QCOMPARE(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
    QCOMPARE(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t spoilt = nullptr;
    QCOMPARE(cudaStreamEndCapture(stream, &spoilt), cudaErrorStreamCaptureInvalidated);
    QVERIFY(spoilt == nullptr);

    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

void TstSimtRuntime::lateWorkShowsWhoDidNotWait() {
    simt::Device device({.workTime = simt::WorkTime::AsLateAsPossible});
    const auto values = numbers(128);
    const DeviceArray<float> in(values), out(1);
    cudaStream_t stream = nullptr;
    float* pinned = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    QCOMPARE(cudaMallocHost(&pinned, sizeof(float)), cudaSuccess);

    tests::sumBlocks(in.data(), out.data(), 128, Fault::None, stream);
    cudaMemcpyAsync(pinned, out.data(), sizeof(float), cudaMemcpyDeviceToHost, stream);
    QVERIFY(std::isnan(*pinned)); // as it was allocated: nobody waited yet
    QCOMPARE(cudaStreamSynchronize(stream), cudaSuccess);
    QCOMPARE(*pinned, 128.0F * 129.0F / 2.0F);

    // Pageable memory is read before the call returns, and written.
    float pageable = 3.0F;
    cudaMemcpyAsync(out.data(), &pageable, sizeof(float), cudaMemcpyHostToDevice, stream);
    pageable = 0.0F;
    cudaMemcpyAsync(&pageable, out.data(), sizeof(float), cudaMemcpyDeviceToHost, stream);
    QCOMPARE(pageable, 3.0F);

    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
}

void TstSimtRuntime::eventsOrderWorkOfTwoStreams() {
    for (const bool waits : {true, false}) {
        simt::Device device({.workTime = simt::WorkTime::AsLateAsPossible});
        const auto values = numbers(512);
        const DeviceArray<float> in(values), between(512), out(512);
        cudaStream_t producer = nullptr, consumer = nullptr;
        cudaEvent_t event = nullptr;
        cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);

        tests::copyThrough(in.data(), between.data(), 512, Fault::None, producer);
        cudaEventRecord(event, producer);
        if (waits) {
            cudaStreamWaitEvent(consumer, event);
        }
        tests::copyThrough(between.data(), out.data(), 512, Fault::None, consumer);
        QCOMPARE(cudaStreamSynchronize(consumer), cudaSuccess);
        QCOMPARE(out.read() == values, waits);

        QCOMPARE(cudaEventSynchronize(event), cudaSuccess);
        QVERIFY(between.read() == values);
        cudaEventDestroy(event);
        cudaStreamDestroy(producer);
        cudaStreamDestroy(consumer);
        QVERIFY(device.leaks().size() == 1); // the arrays
    }
}

void TstSimtRuntime::memoryFreedInFlightIsFound() {
    simt::Device device({.workTime = simt::WorkTime::AsLateAsPossible});
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    void* memory = nullptr;
    cudaMalloc(&memory, 64);
    cudaMemsetAsync(memory, 0, 64, first);
    cudaFreeAsync(memory, second);
    QCOMPARE(cudaStreamSynchronize(second), cudaSuccess); // before the first was waited for
    const auto finding = findingOf([&] { cudaStreamSynchronize(first); });
    QVERIFY(finding && finding->kind() == FindingKind::GlobalBounds);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

void TstSimtRuntime::theHostCantTouchDeviceMemory() {
    simt::Device device;
    const DeviceArray<float> array(64);
    tests::misbehave(array.data(), 64, Fault::None, nullptr); // kernels may, until they end
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        const volatile float value = array.data()[3];
        ::_exit(value > 0.0F ? 1 : 2);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGSEGV);
}

QTEST_APPLESS_MAIN(TstSimtRuntime)
#include "tst_simt_runtime.moc"

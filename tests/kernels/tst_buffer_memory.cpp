// What buffers take of the machine's memory before and after they are touched.
#include "kernels/page_advice.h"
#include "kernels/tensor.h"

#include <QtTest>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

using namespace kernels;

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

std::int64_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    file >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

std::vector<Buffer> buffers(int count, std::int64_t bytes) {
    std::vector<Buffer> made;
    for (int i = 0; i < count; ++i) {
        made.push_back(Buffer::cpu(Format::I8, Shape{bytes}));
    }
    return made;
}

bool isZero(const Buffer& buffer) {
    const auto* bytes = static_cast<const char*>(buffer.view().data);
    return std::all_of(bytes, bytes + buffer.bytes(), [](char byte) { return byte == 0; });
}

} // namespace

class TestBufferMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void zeroAndAligned_data() {
        QTest::addColumn<qint64>("bytes");
        for (const std::int64_t bytes :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{64}, std::int64_t{100'000},
              kMebi / 4 - 1, kMebi / 4, kMebi + 1, 4 * kMebi - 1, 4 * kMebi, 5 * kMebi + 3}) {
            QTest::addRow("%lld", static_cast<long long>(bytes)) << qint64{bytes};
        }
    }
    void zeroAndAligned() {
        QFETCH(qint64, bytes);
        const Buffer buffer = Buffer::cpu(Format::I8, Shape{bytes});
        QCOMPARE(static_cast<qint64>(buffer.bytes()), bytes);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer.view().data) % 64, std::uintptr_t{0});
        QVERIFY(isZero(buffer));
        std::fill_n(static_cast<char*>(buffer.view().data), bytes, char{1}); // all of it is there
    }

    // Bounds of sparse attention, of which a layer has 3 MiB, are never written under full.
    void untouchedIsFree() {
        const std::int64_t before = residentBytes();
        const std::vector<Buffer> reserved = buffers(64, 3 * kMebi);
        QVERIFY(residentBytes() - before < 16 * kMebi);
    }

    // A block of a cache is a few KiB in each layer.
    void touchedHereAndThereIsSmall() {
        const std::int64_t before = residentBytes();
        const std::vector<Buffer> layers = buffers(64, 32 * kMebi);
        for (const Buffer& layer : layers) {
            preferSmallPages(layer.view());
            static_cast<char*>(layer.view().data)[5 * kMebi] = 1;
        }
        QVERIFY(residentBytes() - before < 16 * kMebi);
    }

    void adviceKeepsContents() {
        const Buffer buffer = Buffer::cpu(Format::I8, Shape{8 * kMebi});
        auto* bytes = static_cast<char*>(buffer.view().data);
        bytes[3 * kMebi] = 7;
        preferSmallPages(buffer.part(100, 7 * kMebi).view()); // no whole pages at its ends
        preferSmallPages(View{});
        QCOMPARE(bytes[3 * kMebi], char{7});
    }
};

QTEST_GUILESS_MAIN(TestBufferMemory)
#include "tst_buffer_memory.moc"

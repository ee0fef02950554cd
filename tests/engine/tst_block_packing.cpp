// KV blocks packed and unpacked: the same bytes for every coding and any contents, and nothing but
// an answer for bytes that are no packed block.
#include "engine/kv/block_packing.h"
#include "engine/kv/entropy_code.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace engine;
using kernels::KvCoding;

namespace {

constexpr KvCoding kCodings[] = {KvCoding::F32,  KvCoding::F16,      KvCoding::Row8,
                                 KvCoding::Row4, KvCoding::Channel4, KvCoding::Channel16};
const char* nameOf(KvCoding coding) {
    constexpr const char* kNames[] = {"F32", "F16", "Row8", "Row4", "Channel4", "Channel16"};
    return kNames[static_cast<int>(coding)];
}

struct Shape {
    std::int64_t heads, tokens, dim, plainTail;
};

// A part with memory of its own, of guard bytes before and behind.
class Block {
public:
    static constexpr std::size_t kGuard = 64;

    Block(KvCoding coding, const Shape& shape) {
        m_part.coding = coding;
        m_part.heads = shape.heads;
        m_part.tokens = shape.tokens;
        m_part.dim = shape.dim;
        m_part.plainTail =
            kernels::isPlainCoding(coding) || coding == KvCoding::Channel4 ? 0 : shape.plainTail;
        m_part.bytes = static_cast<std::size_t>(
            shape.heads * shape.tokens * kernels::kvRowBytes(coding, shape.dim, m_part.plainTail));
        m_memory.assign(m_part.bytes + 2 * kGuard, std::byte{0xA5});
    }
    BlockPart part() {
        BlockPart part = m_part;
        part.data = m_memory.data() + kGuard;
        return part;
    }
    std::span<std::byte> bytes() { return {m_memory.data() + kGuard, m_part.bytes}; }
    bool isGuarded() const {
        const auto isGuard = [](std::byte byte) { return byte == std::byte{0xA5}; };
        return std::all_of(m_memory.begin(), m_memory.begin() + kGuard, isGuard) &&
               std::all_of(m_memory.end() - kGuard, m_memory.end(), isGuard);
    }

private:
    BlockPart m_part;
    std::vector<std::byte> m_memory;
};

enum class Contents : int { Zeros, Ones, Noise, Numbers, Few, Count };

// Numbers: F16 that differ little from token to token, whatever the coding makes of the bytes.
void fill(std::span<std::byte> bytes, Contents contents, std::mt19937& draw) {
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        switch (contents) {
        case Contents::Zeros:
            bytes[i] = std::byte{0};
            break;
        case Contents::Ones:
            bytes[i] = std::byte{0xFF};
            break;
        case Contents::Noise:
            bytes[i] = static_cast<std::byte>(draw() & 0xFFU);
            break;
        case Contents::Numbers:
            bytes[i] = static_cast<std::byte>(static_cast<int>(20.0F * normal(draw)) & 0xFF);
            break;
        default:
            bytes[i] = draw() % 97 == 0 ? std::byte{1} : std::byte{0};
            break;
        }
    }
}

bool isEqual(std::span<const std::byte> a, std::span<const std::byte> b) {
    return std::ranges::equal(a, b);
}

} // namespace

class TstBlockPacking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodingComesBackTheSame_data();
    void everyCodingComesBackTheSame();
    void severalPartsFollowEachOther();
    void runsOfEveryLengthComeBack();
    void whatIsAlikeTakesLess();
    void noiseTakesHardlyMore();
    void cutBytesAreRefused();
    void changedBytesNeverLeaveTheBlock();
};

void TstBlockPacking::everyCodingComesBackTheSame_data() {
    QTest::addColumn<int>("coding");
    for (const KvCoding coding : kCodings) {
        QTest::newRow(nameOf(coding)) << static_cast<int>(coding);
    }
}

void TstBlockPacking::everyCodingComesBackTheSame() {
    QFETCH(const int, coding);
    std::mt19937 draw(7);
    constexpr Shape kShapes[] = {{3, 64, 64, 0}, {1, 32, 22, 0},  {2, 128, 80, 16},
                                 {1, 64, 28, 4}, {8, 32, 128, 0}, {1, 32, 576, 64}};
    for (const Shape& shape : kShapes) {
        for (int contents = 0; contents < static_cast<int>(Contents::Count); ++contents) {
            Block block(static_cast<KvCoding>(coding), shape);
            fill(block.bytes(), static_cast<Contents>(contents), draw);
            const BlockPart part = block.part();
            const PackedBytes packed = packBlock({&part, 1});
            Block again(static_cast<KvCoding>(coding), shape);
            const BlockPart target = again.part();
            QVERIFY(unpackBlock(packed, {&target, 1}));
            QVERIFY(isEqual(block.bytes(), again.bytes()));
            QVERIFY(again.isGuarded());
        }
    }
}

void TstBlockPacking::severalPartsFollowEachOther() {
    std::mt19937 draw(11);
    std::vector<Block> blocks;
    std::vector<Block> targets;
    std::vector<BlockPart> parts;
    std::vector<BlockPart> places;
    for (const KvCoding coding : kCodings) {
        blocks.emplace_back(coding, Shape{2, 32, 64, 0});
        targets.emplace_back(coding, Shape{2, 32, 64, 0});
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        fill(blocks[i].bytes(), static_cast<Contents>(i % 5), draw);
        parts.push_back(blocks[i].part());
        places.push_back(targets[i].part());
    }
    const PackedBytes packed = packBlock(parts);
    QVERIFY(unpackBlock(packed, places));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        QVERIFY(isEqual(blocks[i].bytes(), targets[i].bytes()));
    }
    places.pop_back(); // a part less than was packed
    QVERIFY(!unpackBlock(packed, places));
}

void TstBlockPacking::runsOfEveryLengthComeBack() {
    std::mt19937 draw(13);
    for (const int bits : {4, 8}) {
        for (std::size_t length = 0; length < 200; ++length) {
            for (const unsigned different : {1U, 2U, 7U, 16U, 256U}) {
                std::vector<std::uint8_t> symbols(length);
                for (std::size_t i = 0; i < length; ++i) {
                    // Skewed, and climbing where few differ: every kind of run is chosen.
                    const unsigned one = std::min(draw() % different, draw() % different);
                    symbols[i] = static_cast<std::uint8_t>((different < 3 ? one + i : one) &
                                                           ((1U << bits) - 1U));
                }
                std::vector<std::byte> packed = {std::byte{42}};
                packRun(symbols, bits, packed);
                packed.push_back(std::byte{43});
                std::vector<std::uint8_t> again(length, 0xEE);
                const auto rest =
                    unpackRun(std::span<const std::byte>(packed).subspan(1), bits, again);
                QVERIFY(rest.has_value());
                QCOMPARE(rest->size(), std::size_t{1});
                QVERIFY((*rest)[0] == std::byte{43});
                QCOMPARE(again, symbols);
            }
        }
    }
}

void TstBlockPacking::whatIsAlikeTakesLess() {
    std::mt19937 draw(17);
    Block block(KvCoding::F16, {3, 64, 64, 0});
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i + 1 < block.bytes().size(); i += 2) {
        // Exponents of a normal distribution: five bits that need less than three.
        const auto bits = std::bit_cast<std::uint32_t>(normal(draw));
        const auto half = static_cast<std::uint16_t>(((bits >> 16U) & 0x8000U) |
                                                     ((((bits >> 23U) & 0xFFU) - 112U) << 10U) |
                                                     ((bits >> 13U) & 0x3FFU));
        std::memcpy(block.bytes().data() + i, &half, sizeof half);
    }
    const BlockPart part = block.part();
    const double ratio = static_cast<double>(packBlock({&part, 1}).size()) /
                         static_cast<double>(block.bytes().size());
    QVERIFY2(ratio < 0.9, qPrintable(QString::number(ratio)));
    Block zeros(KvCoding::F16, {3, 64, 64, 0});
    fill(zeros.bytes(), Contents::Zeros, draw);
    const BlockPart empty = zeros.part();
    QVERIFY(packBlock({&empty, 1}).size() < 16);
}

// A byte a run for its kind.
void TstBlockPacking::noiseTakesHardlyMore() {
    std::mt19937 draw(19);
    for (const KvCoding coding : kCodings) {
        Block block(coding, {2, 64, 64, 0});
        fill(block.bytes(), Contents::Noise, draw);
        const BlockPart part = block.part();
        QVERIFY(packBlock({&part, 1}).size() <= block.bytes().size() + 16);
    }
}

void TstBlockPacking::cutBytesAreRefused() {
    std::mt19937 draw(23);
    for (const KvCoding coding : kCodings) {
        Block block(coding, {1, 32, 32, 0});
        fill(block.bytes(), Contents::Numbers, draw);
        const BlockPart part = block.part();
        const PackedBytes packed = packBlock({&part, 1});
        for (std::size_t bytes = 0; bytes < packed.size(); ++bytes) {
            // In memory of its own, so that reading behind it is seen.
            const PackedBytes cut(packed.begin(),
                                  packed.begin() + static_cast<std::ptrdiff_t>(bytes));
            Block target(coding, {1, 32, 32, 0});
            const BlockPart place = target.part();
            QVERIFY(!unpackBlock(cut, {&place, 1}));
            QVERIFY(target.isGuarded());
        }
        PackedBytes longer = packed;
        longer.push_back(std::byte{0});
        QVERIFY(!unpackBlock(longer, {&part, 1}));
    }
}

void TstBlockPacking::changedBytesNeverLeaveTheBlock() {
    std::mt19937 draw(29);
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        const KvCoding coding = kCodings[static_cast<std::size_t>(i) % std::size(kCodings)];
        Block block(coding, {1, 32, 32, 0});
        fill(block.bytes(), i % 2 == 0 ? Contents::Numbers : Contents::Few, draw);
        const BlockPart part = block.part();
        PackedBytes packed = packBlock({&part, 1});
        for (unsigned change = 0; change <= draw() % 4; ++change) {
            packed[draw() % packed.size()] = static_cast<std::byte>(draw() & 0xFFU);
        }
        Block target(coding, {1, 32, 32, 0});
        const BlockPart place = target.part();
        refused += unpackBlock(packed, {&place, 1}) ? 0 : 1;
        QVERIFY(target.isGuarded());
    }
    QVERIFY(refused > 0);
}

QTEST_APPLESS_MAIN(TstBlockPacking)
#include "tst_block_packing.moc"

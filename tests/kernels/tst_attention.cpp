// Attention beyond the operator check: causality, block order and reuse, head shapes, hostile
// input.
#include "kernels/check_inputs.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

using kernels::AttentionBatch;
using kernels::AttentionSlice;
using kernels::BlockRef;
using kernels::Buffer;
using kernels::Format;
using kernels::Shape;
using kernels::ThreadPool;

class TstAttention : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void headShapesAreClose_data();
    void headShapesAreClose();
    void aKeyAloneGivesItsValue();
    void laterPositionsAreNotSeen();
    void unusedSlotsMayHoldAnything();
    void whereABlockLiesDoesNotMatter();
    void skippedBlocksAreNotSeen();
    void largeScoresStayFinite();
    void nothingVisibleGivesZero();
    void fullSlicesStandBesideThoseThatChose();
    void neighboursOfOneSequenceSeeEachOther();
    void wrongArgumentsAreRefused();

private:
    std::uint64_t m_seed = std::random_device()();
};

namespace {

constexpr std::uint16_t kHalfNan = 0x7E00;

// One sequence: heads / kvHeads of dim, blocks of blockTokens in the order given.
struct Sequence {
    Sequence(kernels::check::Inputs& inputs, kernels::Ops& ops, std::int64_t heads,
             std::int64_t kvHeads, std::int64_t dim, std::int64_t blockTokens, std::int32_t length)
        : cache(ops, inputs, (length + blockTokens - 1) / blockTokens + 1, kvHeads, blockTokens,
                dim),
          q(inputs.normal(Shape{length, heads, dim}, 1.5F)) {
        for (std::int32_t first = 0; first < length; first += static_cast<int>(blockTokens)) {
            blocks.push_back({static_cast<std::int32_t>(blocks.size()), first});
        }
        slice = {.firstRow = 0,
                 .tokens = length,
                 .firstPosition = 0,
                 .firstBlock = 0,
                 .blockCount = static_cast<std::int32_t>(blocks.size())};
    }

    AttentionBatch batch() const { return {{&slice, 1}, blocks}; }
    std::vector<float> run(kernels::Ops& ops, float scale) const {
        Buffer out = Buffer::cpu(Format::F32, q.view().shape);
        std::fill_n(out.view().f32(), out.view().shape.elements(), NAN);
        ops.attention(q.view(), cache.layer(), batch(), {.scale = scale}, out.view());
        return {out.view().f32(), out.view().f32() + out.view().shape.elements()};
    }
    std::uint16_t* keyRow(std::int64_t block, std::int64_t head, std::int64_t token) const {
        return rowIn(cache.layer().keys, block, head, token);
    }
    std::uint16_t* valueRow(std::int64_t block, std::int64_t head, std::int64_t token) const {
        return rowIn(cache.layer().values, block, head, token);
    }
    static std::uint16_t* rowIn(const kernels::View& view, std::int64_t block, std::int64_t head,
                                std::int64_t token) {
        return static_cast<std::uint16_t*>(view.data) +
               ((block * view.shape[1] + head) * view.shape[2] + token) * view.shape[3];
    }

    kernels::check::Cache cache;
    Buffer q;
    std::vector<BlockRef> blocks;
    AttentionSlice slice;
};

} // namespace

void TstAttention::headShapesAreClose_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("kvHeads");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("blockTokens");
    for (const std::string& isa : kernels::cpuIsas()) {
        for (const int dim : {8, 24, 64, 80, 128, 192, 256}) {
            for (const int blockTokens : {16, 64, 20}) {
                QTest::addRow("%s, dim %d, blocks of %d", isa.c_str(), dim, blockTokens)
                    << QString::fromStdString(isa) << (dim == 80 ? 40 : 6) << (dim == 80 ? 1 : 2)
                    << dim << blockTokens;
            }
        }
    }
}

void TstAttention::headShapesAreClose() {
    QFETCH(QString, isa);
    QFETCH(int, heads);
    QFETCH(int, kvHeads);
    QFETCH(int, dim);
    QFETCH(int, blockTokens);
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Sequence sequence(inputs, *ops, heads, kvHeads, dim, blockTokens, 41);
    const double scale = 1.0 / std::sqrt(dim);
    const auto got = sequence.run(*ops, static_cast<float>(scale));
    const auto wanted =
        kernels::reference::attention(sequence.q.view(), sequence.cache.layer(), sequence.batch(),
                                      {.scale = static_cast<float>(scale)}, dim);
    std::string text;
    QVERIFY2(tests::closeTo<float>(got, wanted, 4e-6, &text),
             fmt::format("{}, seed {}", text, m_seed).c_str());
}

void TstAttention::aKeyAloneGivesItsValue() {
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Sequence sequence(inputs, *ops, 4, 2, 64, 32, 1);
    const auto got = sequence.run(*ops, 0.125F);
    const std::vector<std::int32_t> slots{0};
    const auto values = sequence.cache.rowsAt(sequence.cache.layer().values, slots);
    for (std::size_t head = 0; head < 4; ++head) {
        for (std::size_t d = 0; d < 64; ++d) {
            QCOMPARE(got[head * 64 + d], values[head / 2 * 64 + d]);
        }
    }
}

void TstAttention::laterPositionsAreNotSeen() {
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Sequence sequence(inputs, *ops, 3, 1, 64, 16, 50);
    const auto before = sequence.run(*ops, 0.125F);
    for (std::int64_t position = 20; position < 50; ++position) {
        std::fill_n(sequence.keyRow(position / 16, 0, position % 16), 64, std::uint16_t{0x5640});
        std::fill_n(sequence.valueRow(position / 16, 0, position % 16), 64, std::uint16_t{0x5640});
    }
    const auto after = sequence.run(*ops, 0.125F);
    QVERIFY(std::equal(before.begin(), before.begin() + 20 * 3 * 64, after.begin()));
    QVERIFY(!std::equal(before.begin() + 20 * 3 * 64, before.end(), after.begin() + 20 * 3 * 64));
}

void TstAttention::unusedSlotsMayHoldAnything() {
    // The rest of the last block is another sequence's garbage.
    ThreadPool pool(2);
    for (const std::string& isa : kernels::cpuIsas()) {
        const auto ops = kernels::makeCpuOps(pool, isa);
        kernels::check::Inputs inputs(m_seed);
        const Sequence sequence(inputs, *ops, 3, 1, 64, 64, 70);
        const auto before = sequence.run(*ops, 0.125F);
        for (std::int64_t token = 6; token < 64; ++token) {
            std::fill_n(sequence.keyRow(1, 0, token), 64, kHalfNan);
            std::fill_n(sequence.valueRow(1, 0, token), 64, kHalfNan);
        }
        QVERIFY(sequence.run(*ops, 0.125F) == before);
    }
}

void TstAttention::whereABlockLiesDoesNotMatter() {
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    Sequence sequence(inputs, *ops, 3, 1, 64, 16, 48);
    const auto before = sequence.run(*ops, 0.125F);
    // Block 0 moves to block 3, which nobody uses.
    for (std::int64_t token = 0; token < 16; ++token) {
        std::memcpy(sequence.keyRow(3, 0, token), sequence.keyRow(0, 0, token), 128);
        std::memcpy(sequence.valueRow(3, 0, token), sequence.valueRow(0, 0, token), 128);
        std::fill_n(sequence.keyRow(0, 0, token), 64, kHalfNan);
    }
    sequence.blocks[0].block = 3;
    QVERIFY(sequence.run(*ops, 0.125F) == before);
}

void TstAttention::skippedBlocksAreNotSeen() {
    // Sparse attention lists some blocks only; reaches over several spans of positions.
    ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    Sequence sequence(inputs, *ops, 3, 1, 64, 64, 1400);
    std::erase_if(sequence.blocks, [](const BlockRef& block) { return block.block % 3 == 1; });
    sequence.slice.firstPosition = 1390;
    sequence.slice.firstRow = 1390;
    sequence.slice.tokens = 10;
    sequence.slice.blockCount = static_cast<std::int32_t>(sequence.blocks.size());
    const auto got = sequence.run(*ops, 0.125F);
    const auto wanted = kernels::reference::attention(sequence.q.view(), sequence.cache.layer(),
                                                      sequence.batch(), {.scale = 0.125F}, 64);
    const std::size_t first = 1390 * 3 * 64;
    std::string text;
    QVERIFY2(tests::closeTo<float>(std::span(got).subspan(first), std::span(wanted).subspan(first),
                                   1e-5, &text),
             fmt::format("{}, seed {}", text, m_seed).c_str());
}

void TstAttention::largeScoresStayFinite() {
    // Scores of +-50,000: exp() would overflow without the running maximum.
    ThreadPool pool(1);
    for (const std::string& isa : kernels::cpuIsas()) {
        const auto ops = kernels::makeCpuOps(pool, isa);
        kernels::check::Inputs inputs(m_seed);
        const Sequence sequence(inputs, *ops, 2, 1, 64, 32, 80);
        const auto got = sequence.run(*ops, 2000.0F);
        QVERIFY(std::all_of(got.begin(), got.end(), [](float x) { return std::isfinite(x); }));
        const float largest = *std::max_element(got.begin(), got.end());
        QVERIFY(largest > 0.5F && largest < 10.0F); // convex sums of normal values
    }
}

void TstAttention::nothingVisibleGivesZero() {
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    Sequence sequence(inputs, *ops, 2, 1, 64, 32, 2);
    sequence.slice.blockCount = 0;
    for (const float x : sequence.run(*ops, 0.125F)) {
        QCOMPARE(x, 0.0F);
    }
}

// A long slice that sees all, and a token that sees some of its blocks: each as it is alone.
void TstAttention::fullSlicesStandBesideThoseThatChose() {
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Sequence sequence(inputs, *ops, 4, 2, 64, 16, 101);
    std::vector<BlockRef> blocks = sequence.blocks;
    const auto all = static_cast<std::int32_t>(blocks.size());
    for (const BlockRef& block : sequence.blocks) {
        blocks.push_back(block);
        blocks.back().tokens = block.firstPosition == 32 ? 0U : 1U;
    }
    const std::vector<AttentionSlice> slices = {
        {.firstRow = 0, .tokens = 100, .firstPosition = 0, .firstBlock = 0, .blockCount = all},
        {.firstRow = 100, .tokens = 1, .firstPosition = 100, .firstBlock = all, .blockCount = all}};
    Buffer both = Buffer::cpu(Format::F32, sequence.q.view().shape);
    ops->attention(sequence.q.view(), sequence.cache.layer(), {slices, blocks}, {.scale = 0.125F},
                   both.view());
    Buffer alone = Buffer::cpu(Format::F32, sequence.q.view().shape);
    for (const AttentionSlice& slice : slices) {
        ops->attention(sequence.q.view(), sequence.cache.layer(), {{&slice, 1}, blocks},
                       {.scale = 0.125F}, alone.view());
    }
    QVERIFY(std::memcmp(both.view().f32(), alone.view().f32(), both.bytes()) == 0);
    blocks[0].tokens = 1;
    QVERIFY_EXCEPTION_THROWN(ops->attention(sequence.q.view(), sequence.cache.layer(),
                                            {slices, blocks}, {.scale = 0.125F}, both.view()),
                             std::invalid_argument);
}

// Of every sequence the tokens on both sides of a block's end, in one step as slices of one.
void TstAttention::neighboursOfOneSequenceSeeEachOther() {
    constexpr std::int32_t kTokens = 24, kBlock = 16, kHeads = 4, kDim = 64;
    ThreadPool pool(4);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const kernels::check::Cache cache(*ops, inputs, 2 * kTokens, 2, kBlock, kDim);
    std::vector<AttentionSlice> slices;
    std::vector<BlockRef> blocks;
    std::vector<std::int32_t> positions, slots;
    for (std::int32_t i = 0; i < kTokens; ++i) { // pairs at positions 15 and 16 of their own blocks
        const std::int32_t first = i / 2 * 2, position = kBlock - 1 + i % 2;
        slices.push_back({.firstRow = i,
                          .tokens = 1,
                          .firstPosition = position,
                          .firstBlock = static_cast<std::int32_t>(blocks.size()),
                          .blockCount = 1 + i % 2});
        blocks.push_back({first, 0});
        if (i % 2 != 0) {
            blocks.push_back({first + 1, kBlock});
        }
        positions.push_back(position);
        slots.push_back(first * kBlock + position);
    }
    const Buffer q = inputs.normal({kTokens, kHeads, kDim}, 1.0F);
    const Buffer k = inputs.normal({kTokens, 2, kDim}, 1.0F);
    const Buffer v = inputs.normal({kTokens, 2, kDim}, 1.0F);
    const auto copyOf = [](const Buffer& from) {
        Buffer copy = Buffer::cpu(Format::F32, from.view().shape);
        std::memcpy(copy.view().data, from.view().data, from.bytes());
        return copy;
    };
    const kernels::RopeSpec rope{.frequencies = std::vector<float>(kDim / 2, 0.1F)};
    const auto attend = [&](bool isInTurn) {
        const Buffer queries = copyOf(q), keys = copyOf(k);
        Buffer out = Buffer::cpu(Format::F32, q.view().shape);
        const AttentionBatch batch{slices, blocks};
        for (std::int32_t token = 0; token < kTokens; ++token) { // nothing is there before
            for (std::int64_t head = 0; head < 2; ++head) {
                const std::int32_t slot = slots[static_cast<std::size_t>(token)];
                std::fill_n(
                    Sequence::rowIn(cache.layer().values, slot / kBlock, head, slot % kBlock), kDim,
                    std::uint16_t{0});
            }
        }
        if (isInTurn) {
            ops->Ops::ropeAndAttend(queries.view(), keys.view(), v.view(), rope, positions, slots,
                                    cache.layer(), batch, {.scale = 0.125F}, out.view());
        } else {
            ops->ropeAndAttend(queries.view(), keys.view(), v.view(), rope, positions, slots,
                               cache.layer(), batch, {.scale = 0.125F}, out.view());
        }
        return out;
    };
    const Buffer wanted = attend(true);
    for (int i = 0; i < 300; ++i) {
        const Buffer got = attend(false);
        QVERIFY(std::memcmp(got.view().f32(), wanted.view().f32(), got.bytes()) == 0);
    }
}

void TstAttention::wrongArgumentsAreRefused() {
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    Sequence sequence(inputs, *ops, 2, 1, 64, 32, 40);
    sequence.blocks[1].block = 3;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, sequence.run(*ops, 1.0F));
    sequence.blocks[1].block = -1;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, sequence.run(*ops, 1.0F));
    sequence.blocks[1].block = 1;
    sequence.slice.blockCount = 3;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, sequence.run(*ops, 1.0F));
    sequence.slice.blockCount = 2;
    sequence.slice.tokens = 41;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, sequence.run(*ops, 1.0F));
}

QTEST_APPLESS_MAIN(TstAttention)
#include "tst_attention.moc"

// Keys and values of the CUDA operators under emulation: the CPU's bytes in every coding, attention
// over them, and that neither chunks nor company change a row.
#include "kernels/check_inputs.h"
#include "kernels/cuda/make_cuda_ops.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"
#include "tests/support/simt/device.h"

#include <QTest>

#include <cstring>
#include <vector>

using kernels::Buffer;
using kernels::Format;
using kernels::KvCoding;
using kernels::check::Inputs;

namespace {

struct Codings {
    KvCoding keys, values;
    int heads, kvHeads, keyDim, valueDim, blockTokens; // valueDim 0: inside the keys
    int tail = 0;
};

constexpr Codings kCases[] = {
    {KvCoding::F32, KvCoding::F32, 6, 2, 64, 64, 32},
    {KvCoding::F16, KvCoding::F16, 7, 1, 40, 40, 16},
    {KvCoding::Row8, KvCoding::Row8, 9, 3, 64, 64, 64},
    {KvCoding::Row8, KvCoding::F16, 4, 1, 22, 22, 16},
    {KvCoding::F32, KvCoding::Row4, 4, 2, 80, 80, 64},
    {KvCoding::Row4, KvCoding::Row8, 4, 2, 96, 96, 32},
    {KvCoding::Channel4, KvCoding::Row4, 9, 3, 64, 64, 64},
    {KvCoding::Channel4, KvCoding::F16, 20, 1, 24, 24, 32},
    {KvCoding::Row8, KvCoding::Row8, 4, 1, 28, 0, 16, 5},
    {KvCoding::Row4, KvCoding::Row4, 4, 1, 160, 0, 64, 64},
    {KvCoding::Channel16, KvCoding::F16, 9, 3, 64, 64, 64},
    {KvCoding::Channel16, KvCoding::Row8, 14, 2, 80, 40, 16},
};

constexpr std::int32_t kLength = 196; // beyond the recent keys of a group

// A layer in the CPU's memory, which any operators may use, and where a sequence's tokens go.
class Layer {
public:
    explicit Layer(const Codings& codings, std::int32_t length = kLength) : m_codings(codings) {
        const int blocks = (length + codings.blockTokens - 1) / codings.blockTokens + 1;
        m_layer.keyCoding = codings.keys;
        m_layer.valueCoding = codings.values;
        m_layer.plainTail = codings.tail;
        m_layer.keys = rows(codings.keys, blocks, codings.keyDim, codings.tail);
        if (codings.valueDim > 0) {
            m_layer.values = rows(codings.values, blocks, codings.valueDim, 0);
        }
        if (codings.keys == KvCoding::Channel4) {
            m_layer.recent = rows(KvCoding::F16, blocks, codings.keyDim, 0);
        }
        for (int i = 0; i + 1 < blocks; ++i) {
            m_blocks.push_back({(i + 3) % blocks, i * codings.blockTokens});
            m_recent.push_back({blocks - 1 - i, i * codings.blockTokens});
        }
    }

    // Stores tokens [begin, end) of k and v and attends with those of q.
    std::vector<float> run(kernels::Ops& ops, const Buffer& q, const Buffer& k, const Buffer& v,
                           int begin, int end, const kernels::AttentionRule& rule) {
        store(ops, q, k, v, begin, end);
        return attend(ops, q, begin, end, rule);
    }

    void store(kernels::Ops& ops, const Buffer& q, const Buffer& k, const Buffer& v, int begin,
               int end) {
        std::vector<std::int32_t> positions, slots, recent;
        for (int p = begin; p < end; ++p) {
            const auto block = static_cast<std::size_t>(p / m_codings.blockTokens);
            const std::int32_t offset = p % m_codings.blockTokens;
            positions.push_back(p);
            slots.push_back(m_blocks[block].block * m_codings.blockTokens + offset);
            recent.push_back(m_recent[block].block * m_codings.blockTokens + offset);
        }
        const Buffer queries = part(q, begin, end); // turned by nothing
        const Buffer keys = part(k, begin, end);
        const Buffer values = v ? part(v, begin, end) : Buffer();
        ops.ropeAndStore(queries.view(), keys.view(), values.view(), {.frequencies = {0.0F}},
                         positions, kernels::KvSlots(slots, recent), m_layer);
    }

    std::vector<float> attend(kernels::Ops& ops, const Buffer& q, int begin, int end,
                              const kernels::AttentionRule& rule) {
        const Buffer queries = part(q, begin, end);
        m_slice = {.firstRow = 0,
                   .tokens = end - begin,
                   .firstPosition = begin,
                   .firstBlock = 0,
                   .blockCount = (end + m_codings.blockTokens - 1) / m_codings.blockTokens};
        const Buffer out = Buffer::cpu(Format::F32, {end - begin, m_codings.heads, valueDim()});
        ops.attention(queries.view(), m_layer, batch(), rule, out.view());
        return {out.view().f32(), out.view().f32() + out.view().shape.elements()};
    }

    kernels::AttentionBatch batch() const {
        return {.slices = {&m_slice, 1}, .blocks = m_blocks, .recent = m_recent};
    }
    int valueDim() const {
        return m_codings.valueDim > 0 ? m_codings.valueDim : m_codings.keyDim - m_codings.tail;
    }
    const kernels::KvLayer& layer() const { return m_layer; }
    const std::vector<Buffer>& buffers() const { return m_buffers; }
    std::vector<kernels::BlockRef>& blocks() { return m_blocks; }

private:
    static Buffer part(const Buffer& all, int begin, int end) {
        const kernels::View view = all.view();
        const std::int64_t row = view.shape[1] * view.shape[2];
        Buffer copy = Buffer::cpu(Format::F32, {end - begin, view.shape[1], view.shape[2]});
        std::copy_n(view.f32() + begin * row, (end - begin) * row, copy.view().f32());
        return copy;
    }
    kernels::View rows(KvCoding coding, std::int64_t blocks, std::int64_t dim, std::int64_t tail) {
        const bool isPlain = kernels::isPlainCoding(coding);
        const Format format = coding == KvCoding::F32 ? Format::F32
                              : isPlain               ? Format::F16
                                                      : Format::I8;
        m_buffers.push_back(
            Buffer::cpu(format, {blocks, m_codings.kvHeads, m_codings.blockTokens,
                                 isPlain ? dim : kernels::kvRowBytes(coding, dim, tail)}));
        return m_buffers.back().view();
    }

    Codings m_codings;
    kernels::KvLayer m_layer;
    std::vector<Buffer> m_buffers;
    std::vector<kernels::BlockRef> m_blocks, m_recent;
    kernels::AttentionSlice m_slice;
};

struct Rows {
    Rows(const Codings& codings, std::int32_t length)
        : inputs(17),
          q(inputs.normal({length, codings.heads, codings.keyDim}, 1.0F)),
          k(inputs.normal({length, codings.kvHeads, codings.keyDim}, 1.0F)),
          v(codings.valueDim > 0 ? inputs.normal({length, codings.kvHeads, codings.valueDim}, 1.0F)
                                 : Buffer()) {}
    Inputs inputs;
    Buffer q, k, v;
};

bool isSame(const Buffer& a, const Buffer& b) {
    return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, a.bytes()) == 0;
}

} // namespace

class TstCudaKv : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodingIsTheCpus_data();
    void everyCodingIsTheCpus();
    void longContextsAreSplitWithTheSameBits();
    void tokensSeeTheBlocksTheyChose();
    void chosenBlocksAreTheCpus();
    void tooLongHeadsAreRefusedByName();
};

void TstCudaKv::everyCodingIsTheCpus_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i) {
        QTest::addRow("case %d", i) << i;
    }
}

void TstCudaKv::everyCodingIsTheCpus() {
    QFETCH(const int, index);
    const Codings& codings = kCases[index];
    simt::Device device({.schedule = simt::Schedule::Random, .seed = 7});
    kernels::ThreadPool pool(1);
    const auto cpu = kernels::makeCpuOps(pool, "scalar");
    const auto ops = kernels::cuda::makeCudaOps(pool);
    const Rows rows(codings, kLength);
    const kernels::AttentionRule rule{.scale = 0.2F, .window = index % 3 == 1 ? 77 : 0};

    Layer wanted(codings);
    wanted.run(*cpu, rows.q, rows.k, rows.v, 0, kLength, rule);
    Layer whole(codings);
    const auto got = whole.run(*ops, rows.q, rows.k, rows.v, 0, kLength, rule);
    for (std::size_t i = 0; i < wanted.buffers().size(); ++i) {
        QVERIFY2(isSame(wanted.buffers()[i], whole.buffers()[i]), "stored bytes differ");
    }
    const auto reference = kernels::reference::attention(rows.q.view(), whole.layer(),
                                                         whole.batch(), rule, whole.valueDim());
    std::string text;
    QVERIFY2(tests::closeTo(std::span<const float>(got), reference, 1e-5, &text), text.c_str());

    // The last tokens one by one, and in chunks that begin anywhere.
    Layer chunks(codings);
    std::vector<float> rest;
    for (int begin = 0, end = 150; begin < kLength;
         begin = end, end = begin + (begin < 160   ? 23
                                     : begin < 190 ? 5
                                                   : 1)) {
        end = std::min(end, kLength);
        const auto part = chunks.run(*ops, rows.q, rows.k, rows.v, begin, end, rule);
        rest.insert(rest.end(), part.begin(), part.end());
    }
    QVERIFY(rest == got);
}

void TstCudaKv::longContextsAreSplitWithTheSameBits() {
    constexpr Codings kCodings{KvCoding::F16, KvCoding::F16, 4, 1, 64, 64, 32};
    constexpr std::int32_t kLong = 1200;
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    const Rows rows(kCodings, kLong);
    Layer layer(kCodings, kLong);
    layer.store(*ops, rows.q, rows.k, rows.v, 0, kLong);
    const kernels::AttentionRule rule{.scale = 0.2F, .scoreCap = 4.0F};
    // One token's spans are worth blocks of their own; those of many tokens are not.
    const auto last = layer.attend(*ops, rows.q, kLong - 1, kLong, rule);
    const auto many = layer.attend(*ops, rows.q, kLong - 100, kLong, rule);
    QVERIFY(std::memcmp(last.data(), many.data() + many.size() - last.size(),
                        last.size() * sizeof(float)) == 0);
    std::string text;
    Buffer tail = Buffer::cpu(Format::F32, {100, 4, 64});
    std::copy_n(rows.q.view().f32() + (kLong - 100) * 256, 25600, tail.view().f32());
    const auto wanted =
        kernels::reference::attention(tail.view(), layer.layer(), layer.batch(), rule, 64);
    QVERIFY2(tests::closeTo(std::span<const float>(many), wanted, 1e-5, &text), text.c_str());
}

void TstCudaKv::tokensSeeTheBlocksTheyChose() {
    constexpr Codings kCodings{KvCoding::F16, KvCoding::F16, 4, 2, 32, 32, 16};
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    const Rows rows(kCodings, 96);
    Layer layer(kCodings, 96);
    layer.store(*ops, rows.q, rows.k, rows.v, 0, 96);
    layer.blocks()[1].tokens = 0x00F3U;
    layer.blocks()[3].tokens = 0xFF0CU;
    const kernels::AttentionRule rule{.scale = 0.2F};
    const auto got = layer.attend(*ops, rows.q, 80, 96, rule);
    Buffer tail = Buffer::cpu(Format::F32, {16, 4, 32});
    std::copy_n(rows.q.view().f32() + 80 * 128, 16 * 128, tail.view().f32());
    const auto wanted =
        kernels::reference::attention(tail.view(), layer.layer(), layer.batch(), rule, 32);
    std::string text;
    QVERIFY2(tests::closeTo(std::span<const float>(got), wanted, 1e-5, &text), text.c_str());
}

void TstCudaKv::chosenBlocksAreTheCpus() {
    for (const KvCoding coding : {KvCoding::F16, KvCoding::Row8}) {
        const Codings codings{coding, coding, 4, 2, 64, 64, 16};
        simt::Device device;
        kernels::ThreadPool pool(1);
        const auto cpu = kernels::makeCpuOps(pool, "scalar");
        const auto ops = kernels::cuda::makeCudaOps(pool);
        const Rows rows(codings, kLength);
        Layer layer(codings);
        layer.store(*cpu, rows.q, rows.k, rows.v, 0, 192);
        kernels::KvLayer kv = layer.layer();
        std::vector<std::int32_t> blocks;
        for (int i = 0; i < 12; ++i) {
            blocks.push_back(layer.blocks()[static_cast<std::size_t>(i)].block);
        }
        const Buffer wantedBounds = Buffer::cpu(Format::F32, {kv.keys.shape[0], 2, 2, 64});
        const Buffer bounds = Buffer::cpu(Format::F32, {kv.keys.shape[0], 2, 2, 64});
        kv.bounds = wantedBounds.view();
        cpu->boundKeys(kv, blocks);
        std::vector<kernels::BlockQuery> queries;
        for (std::int32_t i = 0; i < 5; ++i) {
            queries.push_back(
                {.row = 30 * i, .firstCandidate = i, .count = 7, .keep = i, .firstFlag = 7 * i});
        }
        std::vector<std::uint8_t> wanted(35, 9), flags(35, 9);
        cpu->selectBlocks(rows.q.view(), kv, queries, blocks, 0.2F, wanted);
        kv.bounds = bounds.view();
        ops->boundKeys(kv, blocks);
        QVERIFY(isSame(bounds, wantedBounds));
        ops->selectBlocks(rows.q.view(), kv, queries, blocks, 0.2F, flags);
        QVERIFY(flags == wanted);
    }
}

void TstCudaKv::tooLongHeadsAreRefusedByName() {
    constexpr Codings kCodings{KvCoding::F16, KvCoding::F16, 1, 1, 640, 640, 16};
    simt::Device device;
    kernels::ThreadPool pool(1);
    const auto ops = kernels::cuda::makeCudaOps(pool);
    const Rows rows(kCodings, 8);
    Layer layer(kCodings, 8);
    layer.store(*ops, rows.q, rows.k, rows.v, 0, 8);
    try {
        layer.attend(*ops, rows.q, 0, 8, {.scale = 1.0F});
        QFAIL("nothing was refused");
    } catch (const std::invalid_argument& error) {
        QVERIFY(std::string(error.what()).find("attention") == 0);
    }
}

QTEST_APPLESS_MAIN(TstCudaKv)
#include "tst_cuda_kv.moc"

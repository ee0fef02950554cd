// Keys and values in every coding: how close they are, and that chunks never change them.
#include "kernels/check_inputs.h"
#include "kernels/reference/reference.h"
#include "kernels/reference/reference_kv.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using kernels::Buffer;
using kernels::Format;
using kernels::KvCoding;
using kernels::Shape;
using kernels::ThreadPool;

namespace {

struct Codings {
    KvCoding keys, values;
    int heads, kvHeads, keyDim, valueDim, blockTokens; // valueDim 0: inside the keys
    int tail = 0;
    bool spreads = false; // KvLayer::spreadsKeys
};

constexpr Codings kCases[] = {
    {KvCoding::F32, KvCoding::F32, 6, 2, 64, 64, 32},
    {KvCoding::F16, KvCoding::F16, 6, 2, 40, 40, 16},
    {KvCoding::Row8, KvCoding::Row8, 9, 3, 64, 64, 64},
    {KvCoding::Row8, KvCoding::F16, 4, 1, 22, 22, 16},
    {KvCoding::F32, KvCoding::Row4, 4, 2, 80, 80, 64},
    {KvCoding::Row4, KvCoding::Row8, 4, 2, 96, 96, 32},
    {KvCoding::Channel4, KvCoding::Row4, 9, 3, 64, 64, 64},
    {KvCoding::Channel4, KvCoding::F16, 70, 1, 24, 24, 32},
    {KvCoding::Row8, KvCoding::Row8, 4, 1, 28, 0, 16, 4},
    {KvCoding::Row4, KvCoding::Row4, 16, 1, 576, 0, 64, 64},
    {KvCoding::F32, KvCoding::F32, 3, 1, 28, 0, 16, 4},
    {KvCoding::Channel16, KvCoding::F16, 9, 3, 64, 64, 64},
    {KvCoding::Channel16, KvCoding::Row8, 14, 2, 80, 40, 16},
    {KvCoding::Channel16, KvCoding::F16, 3, 3, 22, 22, 32},
    {KvCoding::Row8, KvCoding::Row8, 9, 3, 64, 64, 64, 0, true},
    {KvCoding::Row8, KvCoding::F16, 4, 2, 96, 96, 32, 0, true},
};

constexpr std::int32_t kLength = 196; // beyond the recent keys of a group

// A layer and the rows of one sequence, whose blocks lie in no order.
class Layer {
public:
    Layer(kernels::Ops& ops, const Codings& codings) : m_ops(ops), m_codings(codings) {
        const int blocks = (kLength + codings.blockTokens - 1) / codings.blockTokens + 1;
        m_layer.keyCoding = codings.keys;
        m_layer.valueCoding = codings.values;
        m_layer.plainTail = codings.tail;
        m_layer.spreadsKeys = codings.spreads;
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

    // Stores and attends over tokens [begin, end).
    std::vector<float> run(const Buffer& q, const Buffer& k, const Buffer& v, int begin, int end) {
        const auto part = [&](const Buffer& all) {
            const kernels::View view = all.view();
            const std::int64_t row = view.shape[1] * view.shape[2];
            kernels::Buffer copy =
                Buffer::cpu(Format::F32, {end - begin, view.shape[1], view.shape[2]});
            std::copy_n(view.f32() + begin * row, (end - begin) * row, copy.view().f32());
            return copy;
        };
        const Buffer queries = part(q);
        const Buffer keys = part(k);
        const Buffer values = v ? part(v) : Buffer();
        std::vector<std::int32_t> positions, slots, recent;
        for (int p = begin; p < end; ++p) {
            const auto block = static_cast<std::size_t>(p / m_codings.blockTokens);
            positions.push_back(p);
            slots.push_back(m_blocks[block].block * m_codings.blockTokens +
                            p % m_codings.blockTokens);
            recent.push_back(m_recent[block].block * m_codings.blockTokens +
                             p % m_codings.blockTokens);
        }
        m_ops.ropeAndStore(queries.view(), keys.view(), values.view(), {.frequencies = {0.0F}},
                           positions, kernels::KvSlots(slots, recent), m_layer);
        m_slice = {.firstRow = 0,
                   .tokens = end - begin,
                   .firstPosition = begin,
                   .firstBlock = 0,
                   .blockCount = (end + m_codings.blockTokens - 1) / m_codings.blockTokens};
        Buffer out = Buffer::cpu(Format::F32, {end - begin, m_codings.heads, valueDim()});
        m_ops.attention(queries.view(), m_layer, batch(), {.scale = 0.2F}, out.view());
        return {out.view().f32(), out.view().f32() + out.view().shape.elements()};
    }

    kernels::AttentionBatch batch() const {
        return {.slices = {&m_slice, 1}, .blocks = m_blocks, .recent = m_recent};
    }
    int valueDim() const {
        return m_codings.valueDim > 0 ? m_codings.valueDim : m_codings.keyDim - m_codings.tail;
    }
    const kernels::KvLayer& layer() const { return m_layer; }
    std::size_t slotOf(int position) const {
        const auto block = static_cast<std::size_t>(position / m_codings.blockTokens);
        return static_cast<std::size_t>(m_blocks[block].block * m_codings.blockTokens +
                                        position % m_codings.blockTokens);
    }

private:
    kernels::View rows(KvCoding coding, std::int64_t blocks, std::int64_t dim, std::int64_t tail) {
        const bool isPlain = kernels::isPlainCoding(coding);
        const Format format = coding == KvCoding::F32 ? Format::F32
                              : isPlain               ? Format::F16
                                                      : Format::I8;
        m_buffers.push_back(
            m_ops.allocate(format, {blocks, m_codings.kvHeads, m_codings.blockTokens,
                                    isPlain ? dim : kernels::kvRowBytes(coding, dim, tail)}));
        return m_buffers.back().view();
    }

    kernels::Ops& m_ops;
    Codings m_codings;
    kernels::KvLayer m_layer;
    std::vector<Buffer> m_buffers;
    std::vector<kernels::BlockRef> m_blocks, m_recent;
    kernels::AttentionSlice m_slice;
};

// Single tokens of many sequences in one layer, behind what is stored of each.
class ManySequences {
public:
    ManySequences(kernels::Ops& ops, kernels::check::Inputs& inputs, const Codings& codings)
        : m_ops(ops),
          m_codings(codings) {
        const std::int64_t blocks = 2 * kSequences;
        m_layer.keyCoding = codings.keys;
        m_layer.valueCoding = codings.values;
        m_layer.spreadsKeys = codings.spreads;
        m_layer.keys = rows(codings.keys, blocks, codings.keyDim);
        m_layer.values = rows(codings.values, blocks, codings.valueDim);
        std::vector<std::int32_t> positions, slots;
        for (std::int32_t i = 0; i < kSequences; ++i) {
            const std::int32_t last = i * 13 % (2 * codings.blockTokens);
            const auto place = static_cast<std::int32_t>(m_blocks.size());
            m_blocks.push_back({2 * i + 1, 0});
            m_blocks.push_back({2 * i, codings.blockTokens});
            m_slices.push_back({.firstRow = i,
                                .tokens = 1,
                                .firstPosition = last,
                                .firstBlock = place,
                                .blockCount = last / codings.blockTokens + 1});
            for (std::int32_t p = 0; p <= last; ++p) {
                const auto& block =
                    m_blocks[static_cast<std::size_t>(place + p / codings.blockTokens)];
                (p < last ? positions : m_positions).push_back(p);
                (p < last ? slots : m_slots)
                    .push_back(block.block * codings.blockTokens + p % codings.blockTokens);
            }
        }
        const auto stored = static_cast<std::int64_t>(positions.size());
        const Buffer q = inputs.normal({stored, codings.heads, codings.keyDim}, 1.0F);
        const Buffer k = inputs.normal({stored, codings.kvHeads, codings.keyDim}, 1.0F);
        const Buffer v = inputs.normal({stored, codings.kvHeads, codings.valueDim}, 1.0F);
        m_ops.ropeAndStore(q.view(), k.view(), v.view(), rope(), positions, slots, m_layer);
    }

    // What the step gives, its turned queries, and all that is stored then.
    std::vector<Buffer> run(kernels::check::Inputs& inputs, bool together) {
        const Buffer q = inputs.normal({kSequences, m_codings.heads, m_codings.keyDim}, 1.0F);
        const Buffer k = inputs.normal({kSequences, m_codings.kvHeads, m_codings.keyDim}, 1.0F);
        const Buffer v = inputs.normal({kSequences, m_codings.kvHeads, m_codings.valueDim}, 1.0F);
        const Buffer out = inputs.poisoned({kSequences, m_codings.heads, m_codings.valueDim});
        const kernels::AttentionBatch batch{.slices = m_slices, .blocks = m_blocks};
        if (together) {
            m_ops.ropeAndAttend(q.view(), k.view(), v.view(), rope(), m_positions, m_slots, m_layer,
                                batch, {.scale = 0.2F}, out.view());
        } else {
            m_ops.ropeAndStore(q.view(), k.view(), v.view(), rope(), m_positions, m_slots, m_layer);
            m_ops.attention(q.view(), m_layer, batch, {.scale = 0.2F}, out.view());
        }
        std::vector<Buffer> results = m_buffers;
        results.push_back(q);
        results.push_back(out);
        return results;
    }

private:
    static constexpr std::int32_t kSequences = 13;

    static kernels::RopeSpec rope() { return {.frequencies = {0.3F, 0.01F}}; }

    kernels::View rows(KvCoding coding, std::int64_t blocks, std::int64_t dim) {
        const bool isPlain = kernels::isPlainCoding(coding);
        const Format format = coding == KvCoding::F32 ? Format::F32
                              : isPlain               ? Format::F16
                                                      : Format::I8;
        m_buffers.push_back(
            m_ops.allocate(format, {blocks, m_codings.kvHeads, m_codings.blockTokens,
                                    isPlain ? dim : kernels::kvRowBytes(coding, dim, 0)}));
        return m_buffers.back().view();
    }

    kernels::Ops& m_ops;
    Codings m_codings;
    kernels::KvLayer m_layer;
    std::vector<Buffer> m_buffers;
    std::vector<kernels::BlockRef> m_blocks;
    std::vector<kernels::AttentionSlice> m_slices;
    std::vector<std::int32_t> m_positions, m_slots; // of the step
};

struct Rows {
    Rows(kernels::check::Inputs& inputs, const Codings& codings)
        : q(inputs.normal({kLength, codings.heads, codings.keyDim}, 1.0F)),
          k(inputs.normal({kLength, codings.kvHeads, codings.keyDim}, 1.0F)) {
        if (codings.valueDim > 0) {
            v = inputs.normal({kLength, codings.kvHeads, codings.valueDim}, 1.0F);
        }
    }
    Buffer q, k, v;
};

// q as ropeAndStore leaves it in that layer: turned by nothing.
Buffer asStored(const Buffer& rows, const Codings& codings, double factor) {
    Buffer out = Buffer::cpu(Format::F32, rows.view().shape);
    const std::int64_t length = codings.spreads ? kernels::spreadLength(codings.keyDim) : 1;
    const auto numbers = kernels::reference::spread(kernels::reference::decode(rows.view()), length,
                                                    codings.spreads ? factor : 1.0);
    std::ranges::transform(numbers, out.view().f32(),
                           [](double x) { return static_cast<float>(x); });
    return out;
}

Buffer queriesAsStored(const Buffer& q, const Codings& codings) {
    return asStored(q, codings, 1.0 / static_cast<double>(kernels::spreadLength(codings.keyDim)));
}

// Largest error of one element, as a part of the largest number (normal rows stay below 6).
double errorOf(KvCoding coding) {
    switch (coding) {
    case KvCoding::F32:
        return 0.0;
    case KvCoding::F16:
    case KvCoding::Channel16:
        return 6.0 * 0x1p-11;
    case KvCoding::Row8:
        return 6.0 / 254.0 * 1.01;
    default:
        return 12.0 / 30.0 + 6.0 * 0x1p-9;
    }
}

} // namespace

class TstKvCodings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attentionIsClose_data();
    void attentionIsClose();
    void rowsAreAsCloseAsTheirCoding_data() { attentionIsClose_data(); }
    void rowsAreAsCloseAsTheirCoding();
    void chunksChangeNothing_data() { attentionIsClose_data(); }
    void chunksChangeNothing();
    void storingOnTheWayChangesNothing_data() { attentionIsClose_data(); }
    void storingOnTheWayChangesNothing();
    void spreadKeysKeepScoresAndRoundLess_data();
    void spreadKeysKeepScoresAndRoundLess();
    void noNumberIsSeen_data() { attentionIsClose_data(); }
    void noNumberIsSeen();
    void wrongCachesAreRefused();

private:
    std::uint64_t m_seed = std::random_device()();
};

void TstKvCodings::attentionIsClose_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("index");
    for (const std::string& isa : kernels::cpuIsas()) {
        for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i) {
            QTest::addRow("%s, case %d", isa.c_str(), i) << QString::fromStdString(isa) << i;
        }
    }
}

// The operator against double precision over the same stored rows.
void TstKvCodings::attentionIsClose() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    const Codings& codings = kCases[index];
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Rows rows(inputs, codings);
    Layer layer(*ops, codings);
    const auto got = layer.run(rows.q, rows.k, rows.v, 0, kLength);
    const Buffer q = queriesAsStored(rows.q, codings);
    const auto wanted = kernels::reference::attention(q.view(), layer.layer(), layer.batch(),
                                                      {.scale = 0.2F}, layer.valueDim());
    std::string text;
    QVERIFY2(tests::closeTo<float>(got, wanted, 1e-5, &text),
             fmt::format("{}, seed {}", text, m_seed).c_str());
}

void TstKvCodings::rowsAreAsCloseAsTheirCoding() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    const Codings& codings = kCases[index];
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Rows rows(inputs, codings);
    Layer layer(*ops, codings);
    layer.run(rows.q, rows.k, rows.v, 0, kLength);
    const int complete = codings.keys == KvCoding::Channel4 ? kLength / 32 * 32 : kLength;
    const auto check = [&](const Buffer& source, const kernels::View& stored, KvCoding coding,
                           int dim, int tail, int tokens) {
        const auto decoded = kernels::reference::decodeRows(stored, coding, dim, tail);
        const auto blockTokens = static_cast<std::size_t>(codings.blockTokens);
        const auto kvHeads = static_cast<std::size_t>(codings.kvHeads);
        for (int p = 0; p < tokens; ++p) {
            for (std::size_t head = 0; head < kvHeads; ++head) {
                const std::size_t slot = layer.slotOf(p);
                const std::size_t row =
                    (slot / blockTokens * kvHeads + head) * blockTokens + slot % blockTokens;
                for (int d = 0; d < dim; ++d) {
                    const std::size_t from = (static_cast<std::size_t>(p) * kvHeads + head) *
                                                 static_cast<std::size_t>(dim) +
                                             static_cast<std::size_t>(d);
                    const double error = std::abs(
                        decoded[row * static_cast<std::size_t>(dim) + static_cast<std::size_t>(d)] -
                        static_cast<double>(source.view().f32()[from]));
                    const bool isPlain = d >= dim - tail && coding != KvCoding::F32;
                    const double larger =
                        codings.spreads && stored.data == layer.layer().keys.data
                            ? std::sqrt(static_cast<double>(kernels::spreadLength(dim)))
                            : 1.0;
                    QVERIFY2(
                        error <= larger * errorOf(isPlain ? KvCoding::F16 : coding),
                        fmt::format("position {}, element {}: {}, seed {}", p, d, error, m_seed)
                            .c_str());
                }
            }
        }
    };
    check(asStored(rows.k, codings, 1.0), layer.layer().keys, codings.keys, codings.keyDim,
          codings.tail, complete);
    if (codings.valueDim > 0) {
        check(rows.v, layer.layer().values, codings.values, codings.valueDim, 0, kLength);
    }
}

void TstKvCodings::chunksChangeNothing() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    const Codings& codings = kCases[index];
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Rows rows(inputs, codings);
    Layer whole(*ops, codings);
    const auto wanted = whole.run(rows.q, rows.k, rows.v, 0, kLength);
    Layer pieces(*ops, codings);
    std::vector<float> got;
    constexpr int kSteps[] = {1, 100, 64, 7, 33, 1, 1};
    for (int at = 0, i = 0; at < kLength; ++i) {
        const int end = std::min(kLength, at + kSteps[i % 7]);
        const auto part = pieces.run(rows.q, rows.k, rows.v, at, end);
        got.insert(got.end(), part.begin(), part.end());
        at = end;
    }
    QVERIFY(got == wanted);
}

void TstKvCodings::storingOnTheWayChangesNothing() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    const Codings& codings = kCases[index];
    if (codings.valueDim == 0 || codings.keys == KvCoding::Channel4) {
        return; // layers of other shapes never take that way
    }
    const auto results = [&](int threads, bool together) {
        ThreadPool pool(threads);
        const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
        kernels::check::Inputs inputs(m_seed);
        ManySequences sequences(*ops, inputs, codings);
        return sequences.run(inputs, together);
    };
    const std::vector<Buffer> wanted = results(1, false);
    for (const int threads : {1, 2, 3, 8}) {
        const std::vector<Buffer> got = results(threads, true);
        QCOMPARE(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            QVERIFY2(std::memcmp(got[i].view().data, wanted[i].view().data, got[i].bytes()) == 0,
                     fmt::format("{} threads, result {}, seed {}", threads, i, m_seed).c_str());
        }
    }
}

void TstKvCodings::spreadKeysKeepScoresAndRoundLess_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dim");
    for (const std::string& isa : kernels::cpuIsas()) {
        for (const int dim : {32, 64, 96, 128}) {
            QTest::addRow("%s, %d", isa.c_str(), dim) << QString::fromStdString(isa) << dim;
        }
    }
}

// Keys with one element twenty times the others, as those of real models have.
void TstKvCodings::spreadKeysKeepScoresAndRoundLess() {
    QFETCH(QString, isa);
    QFETCH(int, dim);
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Codings plain{KvCoding::F32, KvCoding::F32, 6, 2, dim, dim, 32};
    const Rows rows(inputs, plain);
    float* keys = rows.k.view().f32();
    for (std::int64_t i = 5; i < rows.k.view().shape.elements(); i += dim) {
        keys[i] *= 20.0F;
    }
    const auto run = [&](KvCoding coding, bool spreads) {
        Codings codings = plain;
        codings.keys = coding;
        codings.spreads = spreads;
        return Layer(*ops, codings).run(rows.q, rows.k, rows.v, 0, kLength);
    };
    const std::vector<float> exact = run(KvCoding::F32, false);
    std::string text;
    QVERIFY2(tests::closeTo<float>(run(KvCoding::F32, true),
                                   std::vector<double>(exact.begin(), exact.end()), 1e-4, &text),
             fmt::format("{}, seed {}", text, m_seed).c_str());
    const auto error = [&](const std::vector<float>& got) {
        double sum = 0.0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            sum += std::pow(static_cast<double>(got[i] - exact[i]), 2.0);
        }
        return std::sqrt(sum);
    };
    const double before = error(run(KvCoding::Row8, false));
    const double after = error(run(KvCoding::Row8, true));
    QVERIFY2(after < 0.6 * before,
             fmt::format("{} and {}, seed {}", before, after, m_seed).c_str());
}

// A key that is no number must not vanish in the rounding.
void TstKvCodings::noNumberIsSeen() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    const Codings& codings = kCases[index];
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Rows rows(inputs, codings);
    rows.k.view().f32()[5] = std::numeric_limits<float>::quiet_NaN();
    Layer layer(*ops, codings);
    const auto got = layer.run(rows.q, rows.k, rows.v, 0, kLength);
    QVERIFY(std::isnan(got.back()) ||
            std::isnan(got[got.size() - 1 -
                           static_cast<std::size_t>((codings.heads - 1) * layer.valueDim())]));
}

void TstKvCodings::wrongCachesAreRefused() {
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Codings codings = kCases[6];
    const Rows rows(inputs, codings);
    Layer layer(*ops, codings);
    layer.run(rows.q, rows.k, rows.v, 0, 40);
    Buffer out = Buffer::cpu(Format::F32, rows.q.view().shape);
    kernels::KvLayer wrong = layer.layer();
    wrong.keyCoding = KvCoding::F16;
    QVERIFY_THROWS_EXCEPTION(
        std::invalid_argument,
        ops->attention(rows.q.view(), wrong, layer.batch(), {.scale = 1.0F}, out.view()));
    wrong = layer.layer();
    wrong.recent = {};
    QVERIFY_THROWS_EXCEPTION(
        std::invalid_argument,
        ops->attention(rows.q.view(), wrong, layer.batch(), {.scale = 1.0F}, out.view()));
    kernels::AttentionBatch batch = layer.batch();
    batch.recent = {};
    QVERIFY_THROWS_EXCEPTION(
        std::invalid_argument,
        ops->attention(rows.q.view(), layer.layer(), batch, {.scale = 1.0F}, out.view()));
    const std::vector<std::int32_t> positions(static_cast<std::size_t>(kLength), 0);
    std::vector<std::int32_t> slots(static_cast<std::size_t>(kLength), 1); // not the group's first
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             ops->ropeAndStore(rows.q.view(), rows.k.view(), rows.v.view(),
                                               {.frequencies = {0.0F}}, positions,
                                               kernels::KvSlots(slots, slots), layer.layer()));
}

QTEST_APPLESS_MAIN(TstKvCodings)
#include "tst_kv_codings.moc"

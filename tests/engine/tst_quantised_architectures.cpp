// Every architecture with quantised weights: what their values give, give or take the rounding of
// activations, and the same bits in any chunks.
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/synthetic_model.h"
#include "engine/model/registry.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"
#include "tests/support/memory_checkpoint.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <algorithm>

using namespace engine;
using kernels::Format;

namespace {

using Rows = std::vector<std::vector<float>>;

SyntheticShape smallShape(std::string_view architecture) {
    SyntheticShape shape{.name = "small",
                         .summary = "",
                         .architecture = architecture,
                         .preTokenizer = "smollm",
                         .layers = 3,
                         .hidden = 256,
                         .heads = 4,
                         .kvHeads = 2,
                         .headDim = 64,
                         .feedForward = 512,
                         .vocabulary = 320,
                         .context = 512,
                         .isTied = false,
                         .hasAttentionBias = architecture == "qwen2",
                         .hasHeadNorms = architecture != "llama" && architecture != "qwen2" &&
                                         architecture != "deepseek2",
                         .window = architecture == "gemma3" ? 24 : 0,
                         .experts = std::nullopt};
    if (architecture == "qwen3moe") {
        shape.experts = SyntheticExperts{
            .experts = 8, .expertsUsed = 3, .expertFeedForward = 256, .normalisesWeights = true};
    }
    if (architecture == "deepseek2") {
        shape.headDim = 96;
        shape.kvHeads = 1;
        shape.experts = SyntheticExperts{.latentRank = 256,
                                         .queryRank = 256,
                                         .plainDim = 64,
                                         .rotaryDim = 32,
                                         .valueDim = 64,
                                         .denseLayers = 1,
                                         .experts = 8,
                                         .expertsUsed = 2,
                                         .expertsShared = 1,
                                         .expertFeedForward = 256,
                                         .groups = 4,
                                         .groupsUsed = 2,
                                         .isSigmoid = true,
                                         .normalisesWeights = true,
                                         .weightScale = 2.5F};
    }
    return shape;
}

// The same keys, every tensor as F32.
tests::MemoryCheckpoint widened(const Checkpoint& checkpoint) {
    tests::MemoryCheckpoint wide;
    for (const std::string& key : checkpoint.metadataKeys()) {
        wide.set(key, *checkpoint.metadata(key));
    }
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
        kernels::dequantize(tensor.format, tensor.bytes.data(), values);
        wide.setTensor(tensor.name, tensor.shape, std::move(values));
    }
    return wide;
}

Rows logitsOf(const Checkpoint& checkpoint, kernels::WeightLayout layout, std::size_t chunk) {
    constexpr std::size_t kTokens = 70;
    constexpr std::int64_t kBlockTokens = 16;
    kernels::ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    WeightOptions options;
    options.layout = layout;
    const auto model = makeModel(checkpoint, *ops, options);
    model->reserve(static_cast<std::int64_t>(chunk), static_cast<std::int64_t>(chunk));
    const KvCache kv(*ops, model->spec().kv, 5, kBlockTokens);
    const std::vector<BlockId> table{BlockId{3}, BlockId{0}, BlockId{4}, BlockId{2}, BlockId{1}};
    std::vector<TokenId> ids;
    for (std::size_t i = 0; i < kTokens; ++i) {
        ids.push_back(static_cast<TokenId>((i * i * 7 + 3) % 320));
    }
    Rows rows;
    for (std::size_t at = 0; at < kTokens; at += chunk) {
        const std::size_t count = std::min(chunk, kTokens - at);
        Batch batch;
        batch.add(std::span(ids).subspan(at, count), static_cast<std::int64_t>(at), table,
                  kBlockTokens);
        for (std::size_t i = 0; i < count; ++i) {
            batch.logitRows.push_back(static_cast<std::int32_t>(i));
        }
        const kernels::View view = model->forward(batch, kv, {});
        for (std::size_t i = 0; i < count; ++i) {
            const float* row = view.f32() + static_cast<std::int64_t>(i) * 320;
            rows.emplace_back(row, row + 320);
        }
    }
    return rows;
}

// Of the middle row: an expert that is chosen otherwise changes a whole row, and few are.
double middleError(const Rows& got, const Rows& wanted) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::vector<double> reference(wanted[i].begin(), wanted[i].end());
        const auto closeness = tests::compare<float>(got[i], reference);
        errors.push_back(closeness.isFinite ? closeness.relativeNorm : INFINITY);
    }
    std::ranges::sort(errors);
    return errors.back() < INFINITY ? errors[errors.size() / 2] : INFINITY;
}

} // namespace

class TstQuantisedArchitectures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantisedWeightsGiveWhatTheirValuesGive_data();
    void quantisedWeightsGiveWhatTheirValuesGive();
};

void TstQuantisedArchitectures::quantisedWeightsGiveWhatTheirValuesGive_data() {
    QTest::addColumn<std::string>("architecture");
    QTest::addColumn<int>("format");
    for (const char* architecture :
         {"llama", "qwen2", "qwen3", "qwen3moe", "gemma3", "deepseek2"}) {
        for (const Format format : {Format::Q4_0, Format::Q8_0, Format::Q4_K, Format::Q6_K,
                                    Format::MXFP4, Format::BF16}) {
            QTest::addRow("%s, %s", architecture, kernels::traits(format).name.data())
                << std::string(architecture) << static_cast<int>(format);
        }
    }
}

void TstQuantisedArchitectures::quantisedWeightsGiveWhatTheirValuesGive() {
    QFETCH(const std::string, architecture);
    QFETCH(const int, format);
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("small.gguf")).toStdString();
    const SyntheticOptions options{
        .format = static_cast<Format>(format), .seed = 5, .progress = {}, .stop = {}};
    writeSyntheticModel(smallShape(architecture), options, file);
    const auto checkpoint = openCheckpoint(file);
    QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().message.c_str());
    const Rows got = logitsOf(**checkpoint, kernels::WeightLayout::Packed, 70);
    const Rows wanted = logitsOf(widened(**checkpoint), kernels::WeightLayout::Packed, 70);
    // Activations of 8 bits are off by half a per cent a product; two dozen of them are in a row.
    const double error = middleError(got, wanted);
    QVERIFY2(error < 0.06, fmt::format("middle error {:.3g}", error).c_str());
    QVERIFY(logitsOf(**checkpoint, kernels::WeightLayout::File, 7) == got);
}

QTEST_APPLESS_MAIN(TstQuantisedArchitectures)
#include "tst_quantised_architectures.moc"

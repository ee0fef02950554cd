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
#include <deque>
#include <span>

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

std::string besides(const std::string& weight, const char* suffix) {
    return weight.substr(0, weight.rfind(".weight")) + suffix;
}

// The checkpoint with more tensors: those that files of NVFP4 have beside every matrix.
class WithFactors final : public Checkpoint {
public:
    explicit WithFactors(const Checkpoint& inner) : m_inner(inner), m_tensors(inner.tensors()) {
        for (const TensorEntry& tensor : inner.tensors()) {
            if (tensor.format == Format::NVFP4) {
                const bool isStack = tensor.name.find("_exps") != std::string::npos;
                add(besides(tensor.name, ".scale"), isStack ? tensor.shape[0] : 1);
                add(besides(tensor.name, ".input_scale"), isStack ? tensor.shape[0] : 1);
            }
        }
    }

    // Differs from matrix to matrix and from expert to expert.
    float factor(const std::string& scale, std::int64_t index) const {
        return 0.6F + 0.05F * static_cast<float>((scale.size() + 3 * scale[4] + 5 * index) % 17);
    }
    void add(const std::string& name, std::int64_t count) {
        std::vector<float>& values = m_values.emplace_back();
        for (std::int64_t i = 0; i < count; ++i) {
            values.push_back(factor(name, i));
        }
        m_tensors.push_back({.name = name,
                             .format = Format::F32,
                             .shape = {count},
                             .bytes = std::as_bytes(std::span(values))});
    }

    const std::vector<TensorEntry>& tensors() const override { return m_tensors; }
    const TensorEntry* find(std::string_view name) const override {
        const auto found = std::ranges::find(m_tensors, name, &TensorEntry::name);
        return found == m_tensors.end() ? nullptr : &*found;
    }
    const MetadataValue* metadata(std::string_view key) const override {
        return m_inner.metadata(key);
    }
    const std::vector<std::string>& metadataKeys() const override { return m_inner.metadataKeys(); }
    std::uint64_t fileBytes() const override { return m_inner.fileBytes(); }
    std::string digest() const override { return "factors"; }
    void release(const TensorEntry&) const override {}
    Result<void> stillWhole() const override { return {}; }

private:
    const Checkpoint& m_inner;
    std::vector<TensorEntry> m_tensors;
    std::deque<std::vector<float>> m_values;
};

// The same keys, every tensor as F32, with the factors in it.
tests::MemoryCheckpoint widened(const Checkpoint& checkpoint) {
    tests::MemoryCheckpoint wide;
    for (const std::string& key : checkpoint.metadataKeys()) {
        wide.set(key, *checkpoint.metadata(key));
    }
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
        kernels::dequantize(tensor.format, tensor.bytes.data(), values);
        if (tensor.name.ends_with("scale")) {
            continue;
        }
        if (const TensorEntry* scale = checkpoint.find(besides(tensor.name, ".scale"))) {
            const auto count = static_cast<std::size_t>(scale->shape[0]);
            std::vector<float> factors(count);
            kernels::dequantize(Format::F32, scale->bytes.data(), factors);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] *= factors[i / (values.size() / count)];
            }
        }
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

Result<std::unique_ptr<Checkpoint>> smallModel(const QTemporaryDir& folder,
                                               std::string_view architecture, Format format) {
    const std::filesystem::path file = folder.filePath(QStringLiteral("small.gguf")).toStdString();
    const SyntheticOptions options{.format = format, .seed = 5, .progress = {}, .stop = {}};
    writeSyntheticModel(smallShape(architecture), options, file);
    return openCheckpoint(file);
}

} // namespace

class TstQuantisedArchitectures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantisedWeightsGiveWhatTheirValuesGive_data();
    void quantisedWeightsGiveWhatTheirValuesGive();
    void factorsBesideMatricesCount_data();
    void factorsBesideMatricesCount();
    void whatScalesNothingIsRefused();
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
    const auto checkpoint = smallModel(folder, architecture, static_cast<Format>(format));
    QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().message.c_str());
    const Rows got = logitsOf(**checkpoint, kernels::WeightLayout::Packed, 70);
    const Rows wanted = logitsOf(widened(**checkpoint), kernels::WeightLayout::Packed, 70);
    // Activations of 8 bits are off by half a per cent a product; two dozen of them are in a row.
    const double error = middleError(got, wanted);
    QVERIFY2(error < 0.06, fmt::format("middle error {:.3g}", error).c_str());
    QVERIFY(logitsOf(**checkpoint, kernels::WeightLayout::File, 7) == got);
}

void TstQuantisedArchitectures::factorsBesideMatricesCount_data() {
    QTest::addColumn<std::string>("architecture");
    for (const char* architecture : {"llama", "qwen3moe", "gemma3", "deepseek2"}) {
        QTest::addRow("%s", architecture) << std::string(architecture);
    }
}

void TstQuantisedArchitectures::factorsBesideMatricesCount() {
    QFETCH(const std::string, architecture);
    const QTemporaryDir folder;
    const auto checkpoint = smallModel(folder, architecture, Format::NVFP4);
    QVERIFY2(checkpoint.has_value(), checkpoint ? "" : checkpoint.error().message.c_str());
    const WithFactors scaled(**checkpoint);
    const Rows got = logitsOf(scaled, kernels::WeightLayout::Packed, 70);
    const Rows wanted = logitsOf(widened(scaled), kernels::WeightLayout::Packed, 70);
    const double error = middleError(got, wanted);
    QVERIFY2(error < 0.06, fmt::format("middle error {:.3g}", error).c_str());
    QVERIFY(logitsOf(scaled, kernels::WeightLayout::File, 7) == got);
    const double unlike =
        middleError(logitsOf(**checkpoint, kernels::WeightLayout::Packed, 70), got);
    QVERIFY2(unlike > 2.0 * error, fmt::format("without factors {:.3g}", unlike).c_str());
}

void TstQuantisedArchitectures::whatScalesNothingIsRefused() {
    const QTemporaryDir folder;
    const auto checkpoint = smallModel(folder, "llama", Format::Q8_0);
    QVERIFY(checkpoint.has_value());
    const auto refusal = [&](const std::string& name, std::int64_t count) -> std::string {
        WithFactors scaled(**checkpoint);
        scaled.add(name, count);
        try {
            logitsOf(scaled, kernels::WeightLayout::Packed, 70);
        } catch (const std::exception& failure) {
            return failure.what();
        }
        return {};
    };
    for (const char* name : {"blk.0.attn_q.scale", "blk.7.attn_q.scale", "blk.0.odd.input_scale"}) {
        const std::string text = refusal(name, 1);
        QVERIFY2(text.find(name) != std::string::npos, text.c_str());
    }
}

QTEST_APPLESS_MAIN(TstQuantisedArchitectures)
#include "tst_quantised_architectures.moc"

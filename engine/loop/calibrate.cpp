// Computes the samples one by one in the file's own precision, and notes what goes into products.
#include "engine/calibrate.h"

#include "engine/base/failure.h"
#include "engine/kv/kv_cache.h"
#include "engine/loop/loaded_model.h"
#include "engine/quality/matrix_ops.h"
#include "engine/schedule/batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr std::int64_t kBlockTokens = 64;
constexpr std::int64_t kStepTokens = 256;
// Of the last layer only rows with logits are computed to its end: one in so many.
constexpr std::int64_t kLogitEvery = 8;

void compute(LoadedModel& loaded, const KvCache& cache, std::span<const TokenId> ids,
             const std::stop_token& stop) {
    std::vector<BlockId> table(static_cast<std::size_t>(cache.blocks()));
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<BlockId>(i);
    }
    Batch batch;
    for (std::size_t at = 0; at < ids.size(); at += kStepTokens) {
        batch.clear();
        batch.add(ids.subspan(at, std::min<std::size_t>(kStepTokens, ids.size() - at)),
                  static_cast<std::int64_t>(at), table, kBlockTokens);
        for (std::int64_t row = 0; row < batch.tokens(); row += kLogitEvery) {
            batch.logitRows.push_back(static_cast<std::int32_t>(row));
        }
        loaded.model->forward(batch, cache, stop);
    }
}

Calibration measure(const std::filesystem::path& model, const CalibrateOptions& options) {
    Calibration result;
    MatrixNames names;
    EngineConfig config;
    config.threads = options.threads;
    const LoadSettings settings{.config = config,
                                .progress = {},
                                .stop = options.stop,
                                .makeOps =
                                    [&](kernels::ThreadPool& pool) {
                                        return makeRangeOps(kernels::makeCpuOps(pool), names,
                                                            result);
                                    },
                                .readBytesPerSecond = 1.0, // nobody asks: not measured
                                .onMatrix =
                                    [&](const std::string& name) {
                                        names.current = name;
                                        return false;
                                    }};
    LoadedModel loaded = loadModel(model, settings, TokenizerUse::Needed);
    const ModelSpec& spec = loaded.model->spec();
    result.modelDigest = loaded.checkpoint->digest();
    const std::int64_t longest =
        std::clamp<std::int64_t>(options.sampleTokens, 1, spec.contextTokens);
    const KvCache cache(*loaded.ops, spec.kv, (longest + kBlockTokens - 1) / kBlockTokens,
                        kBlockTokens);
    loaded.model->reserve(std::min(longest, kStepTokens), kStepTokens / kLogitEvery);
    const auto total = static_cast<std::int64_t>(options.samples.size());
    for (const std::string& sample : options.samples) {
        std::vector<TokenId> ids = loaded.tokenizer->encode(sample, SpecialTokens::Escape);
        ids.resize(std::min(ids.size(), static_cast<std::size_t>(longest)));
        if (options.stop.stop_requested()) {
            throw Interrupted();
        }
        if (!ids.empty()) {
            compute(loaded, cache, ids, options.stop);
            ++result.samples;
            result.tokens += static_cast<std::int64_t>(ids.size());
        }
        if (options.progress) {
            options.progress(result.samples, total);
        }
    }
    return result;
}

} // namespace

Result<Calibration> calibrate(const std::filesystem::path& model, const CalibrateOptions& options) {
    return atTheDoor([&] {
        if (options.samples.empty()) {
            throw Failure(ErrorCode::Invalid, "There is no sample to calibrate with.");
        }
        Calibration result = measure(model, options);
        for (const auto& [tensor, largest] : result.largest) {
            if (!std::ranges::all_of(largest, [](float one) { return std::isfinite(one); })) {
                throw Failure(ErrorCode::Corrupt,
                              fmt::format("What goes into {} is no number: the model may be "
                                          "damaged.",
                                          tensor));
            }
        }
        if (result.tokens == 0) {
            throw Failure(ErrorCode::Invalid, "The samples hold no text.");
        }
        return result;
    });
}

} // namespace engine

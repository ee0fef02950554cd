// The evaluator: sequences with block tables of their own, no queue, no policy.
#include "engine/base/failure.h"
#include "engine/evaluate.h"
#include "engine/kv/block_pool.h"
#include "engine/loop/kv_size.h"
#include "engine/loop/loaded_model.h"
#include "engine/loop/memory_reading.h"
#include "engine/model/sampler.h"
#include "engine/quality/matrix_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

// Steps as wide as the engine's default token budget.
constexpr std::int64_t kFillChunk = 512;

struct RowScales {
    MatrixNames names;
    std::optional<Calibration> calibration;
};

// Throws where there is none of this model.
Calibration calibrationOf(const std::filesystem::path& model, const std::stop_token& stop) {
    const auto opened = openCheckpoint(model, LoadMode::Mmap, stop);
    if (!opened) {
        throw Failure(opened.error().code, opened.error().message);
    }
    auto calibration = loadCalibration(model, (*opened)->digest());
    if (!calibration) {
        throw Failure(calibration.error().code, calibration.error().message);
    }
    return std::move(*calibration);
}

class ModelEvaluator final : public Evaluator {
public:
    ModelEvaluator(std::unique_ptr<RowScales> scales, LoadedModel loaded,
                   const EngineConfig& config, std::stop_token stop)
        : m_scales(std::move(scales)),
          m_loaded(std::move(loaded)),
          m_config(config),
          m_blockTokens(config.blockTokens),
          m_stop(std::move(stop)) {}

    Capabilities capabilities() const override {
        Capabilities result = describe(m_loaded);
        result.readBytesPerSecond = kernels::measureReadBandwidth(*m_loaded.pool);
        return result;
    }

    std::int64_t contextTokens() const override { return m_loaded.model->spec().contextTokens; }
    std::int64_t vocabulary() const override { return m_loaded.model->spec().vocabulary; }

    Result<void> logits(std::span<const TokenId> ids, std::int64_t chunk, LogitRows rows,
                        const Row& row) override {
        return atTheDoor([&] {
            const auto count = static_cast<std::int64_t>(ids.size());
            checkIds(ids);
            const std::int64_t step = std::clamp<std::int64_t>(chunk, 1, std::max(count, one()));
            prepare(1, count, step, rows == LogitRows::All ? step : 1);
            for (std::int64_t at = 0; at < count; at += step) {
                const std::int64_t tokens = std::min(step, count - at);
                m_batch.clear();
                addTokens(
                    0, ids.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(tokens)),
                    at);
                const bool isEnd = at + tokens == count;
                for (std::int64_t i = 0; rows == LogitRows::All && i < tokens; ++i) {
                    m_batch.logitRows.push_back(static_cast<std::int32_t>(i));
                }
                if (rows == LogitRows::Last && isEnd) {
                    m_batch.wantLastRow();
                }
                const kernels::View result = forward();
                for (std::int64_t i = 0; i < result.shape[0]; ++i) {
                    row(rows == LogitRows::All ? at + i : count - 1, rowOf(result, i));
                }
            }
        });
    }

    Result<std::vector<TokenId>> generate(std::span<const TokenId> ids,
                                          std::int64_t tokens) override {
        return atTheDoor([&] {
            checkIds(ids);
            const auto prompt = static_cast<std::int64_t>(ids.size());
            checkLength(prompt + tokens);
            prepare(1, prompt + tokens, std::max<std::int64_t>(prompt, 1), 1);
            std::vector<TokenId> made;
            std::vector<TokenId> next(ids.begin(), ids.end());
            std::int64_t position = 0;
            while (static_cast<std::int64_t>(made.size()) < tokens) {
                m_batch.clear();
                addTokens(0, next, position);
                m_batch.wantLastRow();
                position += static_cast<std::int64_t>(next.size());
                const auto id = m_sampler.sample(rowOf(forward(), 0), {}, position);
                if (!id) {
                    throw Failure(ErrorCode::Corrupt,
                                  "The model computed values that are no numbers.");
                }
                made.push_back(*id);
                next.assign(1, *id);
            }
            return made;
        });
    }

    Result<std::vector<double>> timePrefill(std::int64_t tokens, std::int64_t depth,
                                            std::int64_t chunk, int repetitions) override {
        return atTheDoor([&] {
            const std::int64_t step = std::clamp<std::int64_t>(chunk, 1, std::max(tokens, one()));
            checkSizes(tokens, 1, depth);
            prepare(1, depth + tokens, std::max(step, fillChunk(depth)), 1);
            fill(0, 0, depth, kFillChunk);
            return timed(repetitions, [&] { fill(0, depth, tokens, step); });
        });
    }

    Result<std::vector<double>> timeDecode(std::int64_t tokens, std::int64_t batch,
                                           std::int64_t depth, int repetitions) override {
        return atTheDoor([&] {
            checkSizes(tokens, batch, depth);
            prepare(batch, depth + tokens, std::max(batch, fillChunk(depth)), batch);
            for (std::int64_t i = 0; i < batch; ++i) {
                fill(i, 0, depth, kFillChunk);
            }
            return timed(repetitions, [&] { decode(batch, depth, tokens); });
        });
    }

private:
    static constexpr std::int64_t one() { return 1; }
    static std::int64_t fillChunk(std::int64_t depth) { return std::min(depth, kFillChunk); }

    void checkIds(std::span<const TokenId> ids) const {
        const std::int64_t vocabulary = m_loaded.model->spec().vocabulary;
        for (const TokenId id : ids) {
            if (id < 0 || id >= vocabulary) {
                throw Failure(
                    ErrorCode::Invalid,
                    fmt::format("The token {} is not one of the model's {}.", id, vocabulary));
            }
        }
        checkLength(static_cast<std::int64_t>(ids.size()));
    }

    void checkLength(std::int64_t tokens) const {
        const std::int64_t context = m_loaded.model->spec().contextTokens;
        if (tokens < 1 || tokens > context) {
            throw Failure(ErrorCode::Invalid,
                          fmt::format("{} tokens; the model takes 1 to {}.", tokens, context));
        }
    }

    void checkSizes(std::int64_t tokens, std::int64_t batch, std::int64_t depth) const {
        if (tokens < 1 || batch < 1 || depth < 0) {
            throw Failure(ErrorCode::Invalid, "Tokens and batch are at least 1, depth at least 0.");
        }
        checkLength(depth + tokens);
    }

    // Memory for `sequences` of `tokens` each, and scratch for a step.
    void prepare(std::int64_t sequences, std::int64_t tokens, std::int64_t stepTokens,
                 std::int64_t logitRows) {
        const ModelSpec& spec = m_loaded.model->spec();
        const std::int64_t blocks = (tokens + m_blockTokens - 1) / m_blockTokens;
        if (blocks * sequences > m_kvBlocks) {
            m_kv = KvCache();
            m_kvBlocks = 0;
            // Every block has memory in every layer here.
            EngineConfig wanted = m_config;
            wanted.maxBatch = wanted.kvBlocks = blocks * sequences;
            m_kvBlocks = chooseKvBlocks(wanted, spec, readMemory().availableBytes);
            m_kv = KvCache(*m_loaded.ops, spec.kv, m_kvBlocks, m_blockTokens,
                           kvFormat(m_config, spec.weightFormat));
        }
        m_tables.assign(static_cast<std::size_t>(sequences), {});
        std::int32_t next = 0;
        for (auto& table : m_tables) {
            for (std::int64_t i = 0; i < blocks; ++i) {
                table.push_back(BlockId{next++});
            }
        }
        m_loaded.model->reserve(stepTokens, logitRows);
    }

    void addTokens(std::int64_t sequence, std::span<const TokenId> ids, std::int64_t position) {
        m_batch.add(ids, position, m_tables[static_cast<std::size_t>(sequence)], m_blockTokens,
                    {.isSparse = m_config.attention == Attention::Sparse,
                     .first = m_config.attentionFirst,
                     .window = std::max<std::int64_t>(m_config.attentionWindow, m_kv.window()),
                     .share = m_config.attentionShare});
    }

    kernels::View forward() { return m_loaded.model->forward(m_batch, m_kv, m_stop); }

    std::span<const float> rowOf(const kernels::View& logits, std::int64_t row) const {
        const std::int64_t length = logits.shape.rowLength();
        return {logits.f32() + row * length, static_cast<std::size_t>(length)};
    }

    // Ids that differ from each other, so that embedding rows come from memory as in real text.
    TokenId inventedToken(std::int64_t position) const {
        constexpr std::int64_t kStride = 7919; // a prime
        return static_cast<TokenId>(position * kStride % m_loaded.model->spec().vocabulary);
    }

    void fill(std::int64_t sequence, std::int64_t from, std::int64_t tokens, std::int64_t chunk) {
        std::vector<TokenId> ids;
        for (std::int64_t at = 0; at < tokens; at += chunk) {
            ids.clear();
            for (std::int64_t i = at; i < std::min(at + chunk, tokens); ++i) {
                ids.push_back(inventedToken(from + i));
            }
            m_batch.clear();
            addTokens(sequence, ids, from + at);
            if (at + chunk >= tokens) {
                m_batch.wantLastRow();
            }
            forward();
        }
    }

    void decode(std::int64_t batch, std::int64_t depth, std::int64_t tokens) {
        std::vector<TokenId> latest(static_cast<std::size_t>(batch));
        for (std::int64_t i = 0; i < batch; ++i) {
            latest[static_cast<std::size_t>(i)] = inventedToken(depth + i);
        }
        for (std::int64_t at = depth; at < depth + tokens; ++at) {
            m_batch.clear();
            for (std::int64_t i = 0; i < batch; ++i) {
                addTokens(i, {&latest[static_cast<std::size_t>(i)], 1}, at);
                m_batch.wantLastRow();
            }
            const kernels::View logits = forward();
            for (std::int64_t i = 0; i < batch; ++i) {
                latest[static_cast<std::size_t>(i)] =
                    m_sampler.sample(rowOf(logits, i), {}, at).value_or(0);
            }
        }
    }

    template <class Pass>
    static std::vector<double> timed(int repetitions, Pass pass) {
        pass(); // first use of memory and threads
        std::vector<double> seconds;
        for (int i = 0; i < repetitions; ++i) {
            const TimePoint begin = Clock::now();
            pass();
            seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
        }
        return seconds;
    }

    std::unique_ptr<RowScales> m_scales; // outlives the operators
    LoadedModel m_loaded;
    EngineConfig m_config;
    std::int64_t m_blockTokens;
    KvCache m_kv;
    std::int64_t m_kvBlocks = 0;
    std::vector<std::vector<BlockId>> m_tables;
    Batch m_batch;
    Sampler m_sampler;
    std::stop_token m_stop;
};

} // namespace

Result<std::unique_ptr<Evaluator>>
openEvaluator(const std::filesystem::path& model, const EvaluatorOptions& options,
              const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
    return atTheDoor([&]() -> std::unique_ptr<Evaluator> {
        EngineConfig config;
        config.threads = options.threads;
        config.blockTokens = options.blockTokens;
        config.loadMode = options.loadMode;
        config.weightsLayout = options.weightsLayout;
        config.attention = options.attention;
        config.attentionFirst = options.attentionFirst;
        config.attentionWindow = options.attentionWindow;
        config.attentionShare = options.attentionShare;
        config.precision = options.precision;
        config.kvPrecision = options.kvPrecision;
        config.keyPrecision = options.keyPrecision;
        config.valuePrecision = options.valuePrecision;
        if (options.int8Scales != Int8Scales::Group && config.precision != WeightPrecision::INT8) {
            throw Failure(ErrorCode::Invalid, "Scales of rows are of weights in INT8: choose that "
                                              "precision beside them.");
        }
        if (const auto valid = validate(config); !valid) {
            throw Failure(valid.error().code, valid.error().message);
        }
        auto scales = std::make_unique<RowScales>();
        if (options.int8Scales == Int8Scales::Smooth) {
            scales->calibration = calibrationOf(model, stop);
        }
        const bool areRows = options.int8Scales != Int8Scales::Group;
        LoadSettings settings{
            .config = config,
            .progress = progress,
            .stop = stop,
            .makeOps = [&](kernels::ThreadPool& pool) -> std::unique_ptr<kernels::Ops> {
                auto ops = kernels::makeCpuOps(pool, options.isa);
                return areRows
                           ? makeRowScaleOps(std::move(ops), scales->names,
                                             scales->calibration ? &*scales->calibration : nullptr)
                           : std::move(ops);
            },
            .readBytesPerSecond = {}};
        if (areRows) {
            settings.onMatrix = [&](const std::string& name) {
                scales->names.current = name;
                return hasRowScales(name);
            };
        }
        LoadedModel loaded = loadModel(model, settings, TokenizerUse::Unneeded);
        return std::make_unique<ModelEvaluator>(std::move(scales), std::move(loaded), config, stop);
    });
}

} // namespace engine

// What KV blocks of a model take packed, in every precision of keys and values, over the texts of
// the quality check: bytes, by kind of part, and the speed of packing and unpacking. Every block is
// unpacked again and compared byte by byte. bench_cold_blocks MODEL [TOKENS of each text]
#include "engine/kv/block_packing.h"
#include "engine/kv/kv_cache.h"
#include "engine/loop/loaded_model.h"
#include "engine/quality/sample.h"
#include "engine/schedule/batch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

using namespace engine;

namespace {

constexpr std::int64_t kBlockTokens = 64;
constexpr std::int64_t kStep = 256;

struct Totals {
    double plain = 0.0, packed = 0.0, keysPlain = 0.0, keysPacked = 0.0;
    double packSeconds = 0.0, unpackSeconds = 0.0;
    std::int64_t blocks = 0;
    bool isExact = true;
};

double processorTime() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The keys and values of the first `tokens` of a text.
void compute(LoadedModel& loaded, KvCache& cache, std::span<const TokenId> ids) {
    std::vector<BlockId> table(ids.size() / kBlockTokens + 1);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<BlockId>(i);
    }
    Batch batch;
    for (std::size_t at = 0; at < ids.size(); at += kStep) {
        batch.clear();
        batch.add(ids.subspan(at, std::min<std::size_t>(kStep, ids.size() - at)),
                  static_cast<std::int64_t>(at), table, kBlockTokens);
        loaded.model->forward(batch, cache, {});
    }
}

void packOne(KvCache& cache, BlockId block, Totals& totals) {
    std::vector<BlockPart> parts = cache.parts(block, false);
    if (cache.format().keys == KvPrecision::INT4) { // the recent keys in full are no part of it
        std::erase_if(parts, [](const BlockPart& part) { return isPlainCoding(part.coding); });
    }
    const double begun = processorTime();
    const PackedBytes packed = packBlock(parts);
    const double between = processorTime();
    std::vector<std::vector<std::byte>> memory;
    std::vector<BlockPart> again = parts;
    for (BlockPart& part : again) {
        memory.emplace_back(part.bytes);
        part.data = memory.back().data();
    }
    const double before = processorTime();
    totals.isExact = unpackBlock(packed, again) && totals.isExact;
    totals.unpackSeconds += processorTime() - before;
    totals.packSeconds += between - begun;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        totals.isExact =
            totals.isExact && std::equal(memory[i].begin(), memory[i].end(), parts[i].data);
    }
    for (std::size_t i = 0; i < parts.size(); i += 2) { // keys, then values
        totals.keysPlain += static_cast<double>(parts[i].bytes);
        totals.keysPacked += static_cast<double>(packBlock({&parts[i], 1}).size());
    }
    totals.plain += static_cast<double>(plainBytes(parts));
    totals.packed += static_cast<double>(packed.size());
    ++totals.blocks;
}

nlohmann::ordered_json measure(LoadedModel& loaded, const KvFormat& format, const char* name,
                               const std::vector<std::vector<TokenId>>& texts) {
    Totals totals;
    for (const std::vector<TokenId>& ids : texts) {
        const auto blocks = static_cast<std::int64_t>(ids.size()) / kBlockTokens + 1;
        KvCache cache(*loaded.ops, loaded.model->spec().kv, blocks, kBlockTokens, format);
        compute(loaded, cache, ids);
        for (std::int64_t block = 0;
             (block + 1) * kBlockTokens <= static_cast<std::int64_t>(ids.size()); ++block) {
            packOne(cache, static_cast<BlockId>(block), totals);
        }
    }
    const auto share = [](double after, double before) { return 1.0 - after / before; };
    const double values = totals.plain - totals.keysPlain;
    fmt::print(stderr,
               "{:14} {:5.2f} % less (keys {:5.2f}, values {:5.2f}), packed {:4.0f} MB/s, "
               "unpacked {:4.0f} MB/s, {}\n",
               name, 100.0 * share(totals.packed, totals.plain),
               100.0 * share(totals.keysPacked, totals.keysPlain),
               100.0 * share(totals.packed - totals.keysPacked, values),
               totals.plain / totals.packSeconds / 1e6, totals.plain / totals.unpackSeconds / 1e6,
               totals.isExact ? "exact" : "NOT THE SAME BYTES");
    return {{"kv", name},
            {"blocks", totals.blocks},
            {"plain_bytes", totals.plain},
            {"packed_bytes", totals.packed},
            {"saved", share(totals.packed, totals.plain)},
            {"saved_keys", share(totals.keysPacked, totals.keysPlain)},
            {"saved_values", share(totals.packed - totals.keysPacked, values)},
            {"pack_mb_per_s", totals.plain / totals.packSeconds / 1e6},
            {"unpack_mb_per_s", totals.plain / totals.unpackSeconds / 1e6},
            {"exact", totals.isExact}};
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: bench_cold_blocks MODEL [TOKENS]\n");
        return 2;
    }
    const std::size_t tokens = argc > 2 ? std::stoul(argv[2]) : 1024;
    LoadSettings settings;
    settings.readBytesPerSecond = 1e10;
    LoadedModel loaded = loadModel(argv[1], settings, TokenizerUse::Needed);
    loaded.model->reserve(kStep, 1);
    std::vector<std::vector<TokenId>> texts;
    for (const SampleText& sample : qualityTexts()) {
        texts.push_back(loaded.tokenizer->encode(sample.text, SpecialTokens::Escape));
        texts.back().resize(std::min(texts.back().size(), tokens));
    }
    const auto both = [](KvPrecision precision) {
        return KvFormat{.keys = precision, .values = precision};
    };
    nlohmann::ordered_json result = {{"model", describe(loaded).modelName},
                                     {"cpu", describe(loaded).cpu},
                                     {"tokens_of_each_text", tokens},
                                     {"block_tokens", kBlockTokens},
                                     {"claim_on_top_of_4_bits", 0.3}};
    result["cases"] = {measure(loaded, both(KvPrecision::FP32), "FP32", texts),
                       measure(loaded, both(KvPrecision::FP16), "FP16", texts),
                       measure(loaded, both(KvPrecision::INT8), "INT8", texts),
                       measure(loaded, {.keys = KvPrecision::INT8, .values = KvPrecision::INT4},
                               "INT8/INT4", texts),
                       measure(loaded, both(KvPrecision::INT4), "INT4", texts)};
    fmt::print("{}\n", result.dump(1));
    return 0;
}

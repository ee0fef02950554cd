// Writes low-rank adapters for the tiny models of tests, as PEFT saves them.
#pragma once

#include "tests/support/safetensors_bytes.h"
#include "tests/support/tiny_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

inline constexpr std::string_view kAdapterConfig = R"({"peft_type": "LORA", "r": 4,
 "lora_alpha": 8, "bias": "none", "modules_to_save": null, "use_rslora": false,
 "init_lora_weights": true, "alpha_pattern": {}, "rank_pattern": {}})";

struct AdapterModule {
    std::string name; // behind "model.layers.N."
    std::int64_t rows = 0, columns = 0;
};

inline std::vector<AdapterModule> adapterModules(const TinyModel& model = {}) {
    const std::int64_t q = model.heads * model.headDim;
    const std::int64_t kv = model.kvHeads * model.headDim;
    return {{"self_attn.q_proj", q, model.hidden},
            {"self_attn.k_proj", kv, model.hidden},
            {"self_attn.v_proj", kv, model.hidden},
            {"self_attn.o_proj", model.hidden, q},
            {"mlp.gate_proj", model.feedForward, model.hidden},
            {"mlp.up_proj", model.feedForward, model.hidden},
            {"mlp.down_proj", model.hidden, model.feedForward}};
}

// Rank 4 over every projection, large enough to change answers; other numbers for another seed.
inline std::filesystem::path writeAdapter(const std::filesystem::path& folder, std::uint64_t seed,
                                          const TinyModel& model = {}) {
    constexpr std::int64_t kRank = 4;
    std::mt19937_64 random(seed);
    const auto numbers = [&random](std::int64_t count, float size) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) {
            value = size * (static_cast<float>(random() % 2001) / 1000.0F - 1.0F);
        }
        return values;
    };
    SafetensorsBytes file;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        for (const AdapterModule& module : adapterModules(model)) {
            const std::string stem =
                fmt::format("base_model.model.model.layers.{}.{}", layer, module.name);
            file.floats(stem + ".lora_A.weight", {kRank, module.columns},
                        numbers(kRank * module.columns, 0.3F));
            file.floats(stem + ".lora_B.weight", {module.rows, kRank},
                        numbers(module.rows * kRank, 0.3F));
        }
    }
    std::filesystem::create_directories(folder);
    writeFile(folder / "adapter_model.safetensors", file.bytes());
    writeFile(folder / "adapter_config.json", kAdapterConfig);
    return folder;
}

} // namespace tests

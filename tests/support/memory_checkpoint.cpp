#include "tests/support/memory_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tests {

void MemoryCheckpoint::set(const std::string& key, engine::MetadataValue value) {
    if (!m_metadata.contains(key)) {
        m_keys.push_back(key);
    }
    m_metadata[key] = std::move(value);
}

void MemoryCheckpoint::remove(const std::string& key) {
    m_metadata.erase(key);
    std::erase(m_keys, key);
}

void MemoryCheckpoint::setTensor(const std::string& name, kernels::Shape shape,
                                 std::vector<float> values) {
    removeTensor(name);
    const std::vector<float>& kept = m_values[name] = std::move(values);
    engine::TensorEntry entry;
    entry.name = name;
    entry.format = kernels::Format::F32;
    entry.shape = shape;
    entry.bytes = std::as_bytes(std::span(kept));
    m_tensors.push_back(std::move(entry));
}

void MemoryCheckpoint::removeTensor(const std::string& name) {
    m_values.erase(name);
    std::erase_if(m_tensors, [&](const auto& tensor) { return tensor.name == name; });
}

const std::vector<float>& MemoryCheckpoint::values(const std::string& name) const {
    return m_values.at(name);
}

const engine::TensorEntry* MemoryCheckpoint::find(std::string_view name) const {
    const auto found = std::ranges::find(m_tensors, name, &engine::TensorEntry::name);
    return found == m_tensors.end() ? nullptr : &*found;
}

const engine::MetadataValue* MemoryCheckpoint::metadata(std::string_view key) const {
    const auto found = m_metadata.find(std::string(key));
    return found == m_metadata.end() ? nullptr : &found->second;
}

MemoryCheckpoint makeMemoryLlama(const MemoryLlama& shape, std::uint64_t seed) {
    MemoryCheckpoint checkpoint;
    checkpoint.set("general.architecture", std::string("llama"));
    const auto number = [&](const char* key, std::int64_t value) {
        checkpoint.set(fmt::format("llama.{}", key), value);
    };
    number("block_count", shape.layers);
    number("embedding_length", shape.hidden);
    number("feed_forward_length", shape.feedForward);
    number("attention.head_count", shape.heads);
    number("attention.head_count_kv", shape.kvHeads);
    number("attention.key_length", shape.headDim);
    number("attention.value_length", shape.headDim);
    number("context_length", shape.context);
    checkpoint.set("llama.attention.layer_norm_rms_epsilon", 1e-5);
    checkpoint.set("llama.rope.freq_base", 10000.0);

    std::mt19937_64 random(seed);
    const auto tensor = [&](const std::string& name, kernels::Shape dims, float mean,
                            float spread) {
        std::normal_distribution<float> normal(mean, spread);
        std::vector<float> values(static_cast<std::size_t>(dims.elements()));
        std::ranges::generate(values, [&] { return normal(random); });
        checkpoint.setTensor(name, dims, std::move(values));
    };
    const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
        tensor(name, {rows, columns}, 0.0F, 1.0F / std::sqrt(static_cast<float>(columns)));
    };
    matrix("token_embd.weight", shape.vocabulary, shape.hidden);
    for (std::int64_t i = 0; i < shape.layers; ++i) {
        const std::string layer = fmt::format("blk.{}.", i);
        tensor(layer + "attn_norm.weight", {shape.hidden}, 1.0F, 0.1F);
        matrix(layer + "attn_q.weight", shape.heads * shape.headDim, shape.hidden);
        matrix(layer + "attn_k.weight", shape.kvHeads * shape.headDim, shape.hidden);
        matrix(layer + "attn_v.weight", shape.kvHeads * shape.headDim, shape.hidden);
        matrix(layer + "attn_output.weight", shape.hidden, shape.heads * shape.headDim);
        tensor(layer + "ffn_norm.weight", {shape.hidden}, 1.0F, 0.1F);
        matrix(layer + "ffn_gate.weight", shape.feedForward, shape.hidden);
        matrix(layer + "ffn_up.weight", shape.feedForward, shape.hidden);
        matrix(layer + "ffn_down.weight", shape.hidden, shape.feedForward);
    }
    tensor("output_norm.weight", {shape.hidden}, 1.0F, 0.1F);
    matrix("output.weight", shape.vocabulary, shape.hidden);
    return checkpoint;
}

} // namespace tests

// Builds safetensors bytes tensor by tensor, valid or not, and the documents of a model's folder.
#pragma once

#include "tests/support/gguf_bytes.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

class SafetensorsBytes {
public:
    SafetensorsBytes& tensor(std::string_view name, std::string_view dtype,
                             const std::vector<std::int64_t>& shape, std::string_view bytes) {
        std::string dims;
        for (const std::int64_t dim : shape) {
            dims += (dims.empty() ? "" : ",") + std::to_string(dim);
        }
        m_header += (m_header.empty() ? "" : ",") + std::string("\"") + std::string(name) +
                    "\":{\"dtype\":\"" + std::string(dtype) + "\",\"shape\":[" + dims +
                    "],\"data_offsets\":[" + std::to_string(m_data.size()) + "," +
                    std::to_string(m_data.size() + bytes.size()) + "]}";
        m_data += bytes;
        return *this;
    }
    SafetensorsBytes& floats(std::string_view name, const std::vector<std::int64_t>& shape,
                             const std::vector<float>& values) {
        return tensor(name, "F32", shape,
                      {reinterpret_cast<const char*>(values.data()), values.size() * 4});
    }
    std::string bytes() const { return withHeader("{" + m_header + "}", m_data); }
    const std::string& data() const { return m_data; }

    static std::string withHeader(std::string header, std::string_view data) {
        header.resize((header.size() + 7) / 8 * 8, ' ');
        std::string file(8, '\0');
        const std::uint64_t length = header.size();
        std::memcpy(file.data(), &length, sizeof length);
        return file + header + std::string(data);
    }

private:
    std::string m_header;
    std::string m_data;
};

// A tiny llama model: one layer, hidden 8, 2 heads of 4, feed-forward 16, 12 tokens.
inline constexpr std::string_view kTinyConfig = R"({
  "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8,
  "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "max_position_embeddings": 64, "vocab_size": 12,
  "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": true,
  "torch_dtype": "float32"})";

struct TinyTensor {
    std::string_view name;
    std::vector<std::int64_t> shape;
};
inline std::vector<TinyTensor> tinyTensors() {
    return {{"model.embed_tokens.weight", {12, 8}},
            {"model.layers.0.input_layernorm.weight", {8}},
            {"model.layers.0.self_attn.q_proj.weight", {8, 8}},
            {"model.layers.0.self_attn.k_proj.weight", {4, 8}},
            {"model.layers.0.self_attn.v_proj.weight", {4, 8}},
            {"model.layers.0.self_attn.o_proj.weight", {8, 8}},
            {"model.layers.0.post_attention_layernorm.weight", {8}},
            {"model.layers.0.mlp.gate_proj.weight", {16, 8}},
            {"model.layers.0.mlp.up_proj.weight", {16, 8}},
            {"model.layers.0.mlp.down_proj.weight", {8, 16}},
            {"model.norm.weight", {8}}};
}
// Values are their place in the tensor, so that a test sees where each went.
inline void addTiny(SafetensorsBytes& file, const TinyTensor& tensor) {
    std::size_t count = 1;
    for (const std::int64_t dim : tensor.shape) {
        count *= static_cast<std::size_t>(dim);
    }
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i % 7) / 8.0F;
    }
    file.floats(tensor.name, tensor.shape, values);
}
inline std::string tinySafetensors() {
    SafetensorsBytes file;
    for (const TinyTensor& tensor : tinyTensors()) {
        addTiny(file, tensor);
    }
    return file.bytes();
}

} // namespace tests

// A checkpoint in memory: a test writes keys and tensors, then breaks what it wants to see refused.
#pragma once

#include "engine/checkpoint/checkpoint.h"

#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tests {

class MemoryCheckpoint final : public engine::Checkpoint {
public:
    void set(const std::string& key, engine::MetadataValue value);
    void remove(const std::string& key);
    // F32 values in the shape's order; replaces a tensor of that name.
    void setTensor(const std::string& name, kernels::Shape shape, std::vector<float> values);
    void removeTensor(const std::string& name);
    const std::vector<float>& values(const std::string& name) const;
    bool hasTensor(const std::string& name) const { return m_values.contains(name); }

    const std::vector<engine::TensorEntry>& tensors() const override { return m_tensors; }
    const engine::TensorEntry* find(std::string_view name) const override;
    const engine::MetadataValue* metadata(std::string_view key) const override;
    const std::vector<std::string>& metadataKeys() const override { return m_keys; }
    std::uint64_t fileBytes() const override { return 0; }
    std::string digest() const override { return "memory"; }
    void release(const engine::TensorEntry&) const override {}
    engine::Result<void> stillWhole() const override { return {}; }

private:
    std::map<std::string, engine::MetadataValue> m_metadata;
    std::vector<std::string> m_keys;
    std::map<std::string, std::vector<float>> m_values;
    std::vector<engine::TensorEntry> m_tensors;
};

// A whole llama model with random weights: two layers, four heads on two, untied output.
struct MemoryLlama {
    std::int64_t layers = 2, hidden = 32, heads = 4, kvHeads = 2, headDim = 8, feedForward = 64,
                 vocabulary = 96, context = 128;
};
MemoryCheckpoint makeMemoryLlama(const MemoryLlama& shape, std::uint64_t seed);

} // namespace tests

#include "tests/support/golden_model.h"

#include <QByteArray>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tests {

namespace {

const std::filesystem::path kFolder = HEADWAY_SOURCE_DIR "/tests/golden/architectures";

// FNV-1a, then SplitMix64 for every element: in [-127, 127].
std::vector<std::int8_t> codes(const std::string& name, std::size_t count) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char letter : name) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
    }
    std::vector<std::int8_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t z = hash + (i + 1) * 0x9E3779B97F4A7C15U;
        z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
        z ^= z >> 31U;
        values.push_back(
            static_cast<std::int8_t>(std::max(static_cast<int>(z >> 56U) - 128, -127)));
    }
    return values;
}

engine::MetadataValue valueOf(const nlohmann::json& json) {
    if (json.is_boolean()) {
        return json.get<bool>();
    }
    if (json.is_number_integer()) {
        return json.get<std::int64_t>();
    }
    if (json.is_number()) {
        return json.get<double>();
    }
    return json.get<std::string>();
}

void addTensor(const nlohmann::json& entry, MemoryCheckpoint& checkpoint) {
    const auto name = entry.at("name").get<std::string>();
    const auto dims = entry.at("shape").get<std::vector<std::int64_t>>();
    kernels::Shape shape{dims[0]};
    if (dims.size() == 2) {
        shape = {dims[0], dims[1]};
    } else if (dims.size() == 3) {
        shape = {dims[0], dims[1], dims[2]};
    }
    std::vector<float> values;
    if (entry.contains("values")) {
        values = entry.at("values").get<std::vector<float>>();
    } else {
        for (const std::int8_t code : codes(name, static_cast<std::size_t>(shape.elements()))) {
            values.push_back(
                entry.contains("exponent")
                    ? std::ldexp(static_cast<float>(code), -entry.at("exponent").get<int>())
                    : 1.0F + static_cast<float>(code >> 2) / 128.0F);
        }
    }
    checkpoint.setTensor(name, shape, std::move(values));
}

} // namespace

std::vector<std::string> goldenNames() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
        if (file.path().extension() == ".json") {
            names.push_back(file.path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

std::filesystem::path goldenFolder(const std::string& name) {
    return kFolder / name;
}

GoldenModel readGoldenModel(const std::string& name) {
    std::ifstream stream(kFolder / (name + ".json"));
    const auto json = nlohmann::json::parse(stream);
    GoldenModel golden;
    for (const auto& [key, value] : json.at("keys").items()) {
        golden.checkpoint.set(key, valueOf(value));
    }
    for (const auto& tensor : json.at("tensors")) {
        addTensor(tensor, golden.checkpoint);
    }
    golden.vocabulary = json.at("vocabulary").get<std::int64_t>();
    golden.storedPositions = json.at("stored_positions").get<std::int64_t>();
    for (const auto& prompt : json.at("prompts")) {
        GoldenPrompt read;
        read.ids = prompt.at("ids").get<std::vector<engine::TokenId>>();
        read.greedy = prompt.at("greedy").get<std::vector<engine::TokenId>>();
        const QByteArray bytes = QByteArray::fromBase64(
            QByteArray::fromStdString(prompt.at("logits").get<std::string>()));
        read.logits.resize(static_cast<std::size_t>(bytes.size()) / sizeof(float));
        std::memcpy(read.logits.data(), bytes.constData(), read.logits.size() * sizeof(float));
        golden.prompts.push_back(std::move(read));
    }
    return golden;
}

} // namespace tests

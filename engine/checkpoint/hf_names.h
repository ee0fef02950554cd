// Names of tensors as transformers stores them, and what becomes of each: its name in GGUF files
// and how it is made of what is stored. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace engine::hf {

struct Kept { // as it lies, under another name
    std::string name;
    bool addsOne = false; // Gemma stores its norms less one
};
struct Expert { // one expert of a stack
    std::string name;
    std::int64_t index = 0;
};
struct FusedExperts { // [experts, 2 * rows, columns]: gates, then ups
    std::string gate, up;
};
struct KeysAndValues { // rows of keys and values in turn, a head after the other
    std::string key, value;
};
struct Scale { // of the FP8 tensor of that stored name
    std::string of;
};
enum class Omission : std::uint8_t { Prediction, Senses, Computed };
struct Omitted {
    Omission reason;
};

using Fate = std::variant<Kept, Expert, FusedExperts, KeysAndValues, Scale, Omitted>;

// `layers` is the number of layers of the model: what lies behind them predicts further tokens.
// Names that nobody knows are kept as they are: whoever builds the graph refuses them.
Fate fateOf(std::string_view stored, std::string_view architecture, std::int64_t layers);

} // namespace engine::hf

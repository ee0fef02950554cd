// Typed look-ups of a model's numbers with their plausible limits; what is outside is refused with
// the key and the limits.
#pragma once

#include "engine/checkpoint/checkpoint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct IntegerLimits {
    std::int64_t minimum = 1;
    std::int64_t maximum = 1;
};

struct NumberLimits { // the minimum itself is outside
    double above = 0.0;
    double maximum = 0.0;
};

class HyperParameters {
public:
    // Keys are "<architecture>.<name>".
    explicit HyperParameters(const Checkpoint& checkpoint);

    const std::string& architecture() const { return m_architecture; }
    std::string key(std::string_view name) const;
    bool has(std::string_view name) const;

    // A number, or an array of one equal number a layer. Throw Failure.
    std::int64_t integer(std::string_view name, IntegerLimits limits) const;
    std::int64_t integer(std::string_view name, IntegerLimits limits, std::int64_t fallback) const;
    // One number a layer: a number for all, or an array with at least as many.
    std::vector<std::int64_t> perLayer(std::string_view name, IntegerLimits limits,
                                       std::int64_t layers) const;
    std::vector<std::int64_t> perLayer(std::string_view name, IntegerLimits limits,
                                       std::int64_t layers, std::int64_t fallback) const;
    double number(std::string_view name, NumberLimits limits, double fallback) const;
    bool flag(std::string_view name, bool fallback) const;
    // An array of true and false, or of 0 and 1; empty where the key is another kind or absent.
    std::optional<std::vector<bool>> flags(std::string_view name) const;
    std::string text(std::string_view name, std::string_view fallback) const;
    // Throws where the key is there and not zero or false.
    void refuseFeature(std::string_view name, std::string_view what) const;
    // Throws: "The model's key K is refused: <rule>."
    [[noreturn]] void refuse(std::string_view name, std::string_view rule) const;

private:
    std::optional<std::int64_t> find(std::string_view name) const;
    void checkLimits(std::string_view name, std::int64_t value, IntegerLimits limits) const;

    const Checkpoint& m_checkpoint;
    std::string m_architecture;
};

} // namespace engine

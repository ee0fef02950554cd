// In which numbers keys and values are kept: what was asked, and how each layer can do it. Pure;
// any thread.
#pragma once

#include "engine/config.h"
#include "kernels/formats.h"
#include "kernels/kv_coding.h"

#include <cstdint>

namespace engine {

struct KvLayerShape;

// Never Auto.
struct KvFormat {
    KvPrecision keys = KvPrecision::FP16;
    KvPrecision values = KvPrecision::FP16;
    bool operator==(const KvFormat&) const = default;
};

// Auto is FP32 where most of the file's weights are F32: rounding keys would be the largest error
// of such a model by far; else FP16.
KvFormat kvFormat(const EngineConfig& config, kernels::Format weights);

// Latent rows are keys and values in one, so a row's coding is its keys'. Layers with a window keep
// INT8 where INT4 is asked: they hold little, and the recent part would be most of it.
kernels::KvCoding keyCoding(const KvFormat& format, const KvLayerShape& layer);
kernels::KvCoding valueCoding(const KvFormat& format, const KvLayerShape& layer);

} // namespace engine

#include "engine/kv/kv_precision.h"

#include "engine/kv/kv_cache.h"

namespace engine {

namespace {

using kernels::KvCoding;

KvCoding rowCoding(KvPrecision precision) {
    switch (precision) {
    case KvPrecision::FP32:
        return KvCoding::F32;
    case KvPrecision::INT8:
        return KvCoding::Row8;
    case KvPrecision::INT4:
        return KvCoding::Row4;
    default:
        return KvCoding::F16;
    }
}

KvPrecision within(KvPrecision precision, const KvLayerShape& layer) {
    return layer.window > 0 && precision == KvPrecision::INT4 ? KvPrecision::INT8 : precision;
}

} // namespace

KvFormat kvFormat(const EngineConfig& config, kernels::Format weights) {
    const KvPrecision automatic =
        weights == kernels::Format::F32 ? KvPrecision::FP32 : KvPrecision::FP16;
    const KvPrecision both =
        config.kvPrecision == KvPrecision::Auto ? automatic : config.kvPrecision;
    return {.keys = config.keyPrecision == KvPrecision::Auto ? both : config.keyPrecision,
            .values = config.valuePrecision == KvPrecision::Auto ? both : config.valuePrecision};
}

KvCoding keyCoding(const KvFormat& format, const KvLayerShape& layer) {
    const KvPrecision precision = within(format.keys, layer);
    const bool isLatent = layer.valueDim == 0;
    if (isLatent) {
        return rowCoding(precision);
    }
    return precision == KvPrecision::INT4   ? KvCoding::Channel4
           : precision == KvPrecision::FP16 ? KvCoding::Channel16
                                            : rowCoding(precision);
}

KvCoding valueCoding(const KvFormat& format, const KvLayerShape& layer) {
    return layer.valueDim == 0 ? keyCoding(format, layer) : rowCoding(within(format.values, layer));
}

} // namespace engine

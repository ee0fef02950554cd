#include "kernels/cuda/kv_view.h"
#include "kernels/cuda/require.h"

namespace kernels::cuda {

namespace {

bool isStored(const View& rows, const View& keys, KvCoding coding, std::int64_t dim,
              std::int64_t tail) {
    const bool isPlain = isPlainCoding(coding);
    const Format format = coding == KvCoding::F32 ? Format::F32
                          : isPlain               ? Format::F16
                                                  : Format::I8;
    return rows.format == format && rows.shape.rank() == 4 && rows.shape[1] == keys.shape[1] &&
           rows.shape[2] == keys.shape[2] &&
           rows.shape[3] == (isPlain ? dim : kvRowBytes(coding, dim, tail));
}

} // namespace

StoredRows storedRows(const View& view, std::byte* data, KvCoding coding, int dim, int plainTail) {
    return {.data = data,
            .coding = coding,
            .dim = dim,
            .plainTail = plainTail,
            .rowBytes = static_cast<int>(kvRowBytes(coding, dim, plainTail)),
            .heads = static_cast<int>(view.shape[1]),
            .blockTokens = static_cast<int>(view.shape[2])};
}

void checkLayer(const KvLayer& kv, std::int64_t keyDim, std::int64_t valueDim,
                const char* operatorName) {
    const std::string name = operatorName;
    const bool hasValues = kv.values.data != nullptr;
    require(isStored(kv.keys, kv.keys, kv.keyCoding, keyDim, kv.plainTail) &&
                kv.keys.shape[1] > 0 && kv.keys.shape[2] > 0 && kv.plainTail >= 0 &&
                kv.plainTail <= keyDim,
            name + ": keys are [blocks, kvHeads, blockTokens, keyDim] as the layer codes them");
    require(!hasValues ||
                (isStored(kv.values, kv.keys, kv.valueCoding, valueDim, 0) &&
                 kv.valueCoding != KvCoding::Channel4 && kv.valueCoding != KvCoding::Channel16 &&
                 kv.values.shape[0] == kv.keys.shape[0]),
            name + ": values are [blocks, kvHeads, blockTokens, valueDim] as the layer codes them");
    require(kv.keyCoding != KvCoding::Channel4 ||
                (isStored(kv.recent, kv.keys, KvCoding::F16, keyDim, 0) && hasValues &&
                 kv.plainTail == 0 && kv.blockTokens() % kKvGroup == 0),
            name + ": keys coded by channel come in blocks of whole groups of 32, with the recent "
                   "ones in F16 and values apart");
    require(kv.keyCoding != KvCoding::Channel16 || (hasValues && kv.blockTokens() % kKvVector == 0),
            name + ": keys element by element come in blocks of whole sixteens with values apart");
}

} // namespace kernels::cuda

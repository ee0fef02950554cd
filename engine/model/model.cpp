#include "engine/model/model.h"

#include <algorithm>

namespace engine {

std::uint64_t ModelSpec::kvBytes(std::int64_t tokens, const KvFormat& format) const {
    const KvBytes bytes = engine::kvBytesPerToken(kv, format);
    const auto all = static_cast<std::uint64_t>(tokens);
    const auto seen = std::min(all, static_cast<std::uint64_t>(widestWindow(kv, format)));
    return all * bytes.lasting + seen * bytes.windowed;
}

} // namespace engine

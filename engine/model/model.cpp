#include "engine/model/model.h"

#include <algorithm>

namespace engine {

std::uint64_t ModelSpec::kvBytes(std::int64_t tokens) const {
    const KvBytes bytes = engine::kvBytesPerToken(kv);
    const auto all = static_cast<std::uint64_t>(tokens);
    const auto seen = std::min(all, static_cast<std::uint64_t>(widestWindow(kv)));
    return all * bytes.lasting + seen * bytes.windowed;
}

} // namespace engine

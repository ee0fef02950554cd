#include "engine/adapters.h"

namespace engine {

std::optional<std::uint64_t> AdapterStatus::separateBytes() const {
    return loaded.empty() ? std::nullopt : std::optional(baseBytes * loaded.size() + bytes);
}

} // namespace engine

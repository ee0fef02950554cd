// The model that comes with the product: where it is, whether it is whole, and where synthetic ones
// are put. Any thread; checking reads the whole file (0.3 s for 98 MB), so not on the UI thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace app {

// $XDG_DATA_HOME/headway/models
std::filesystem::path modelsFolder();

enum class ModelPresence : std::uint8_t { Missing, Present, Damaged };

struct DefaultModel {
    std::filesystem::path file; // where it is, or belongs
    ModelPresence presence = ModelPresence::Missing;
};

inline constexpr std::string_view kDefaultModelName = "SmolLM2-135M-Instruct";
inline constexpr std::uintmax_t kDefaultModelBytes = 98'362'432;
inline constexpr std::string_view kDefaultModelSha256 =
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

// By name and size alone.
DefaultModel findDefaultModel(const std::filesystem::path& folder);
// By digest; an absent file stays missing.
DefaultModel checkDefaultModel(const std::filesystem::path& folder);

} // namespace app

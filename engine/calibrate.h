// How large the inputs of a model's matrices become, channel by channel, over sample texts: what
// products with one scale a row are smoothed by. Kept in a file beside the model. Any thread.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace engine {

struct Calibration {
    std::string modelDigest;
    std::int64_t samples = 0;
    std::int64_t tokens = 0;
    // By tensor, "blk.0.ffn_down.weight": the largest magnitude of each input channel.
    std::map<std::string, std::vector<float>> largest{};
};

inline constexpr std::int64_t kLeastSamples = 500; // fewer leave rare channels out

struct CalibrateOptions {
    std::int64_t threads = 0; // 0: every core
    std::vector<std::string> samples;
    std::int64_t sampleTokens = 512; // the beginning of a longer one counts
    std::function<void(std::int64_t done, std::int64_t total)> progress = {};
    std::stop_token stop = {};
};

// Computes every sample in the file's own precision. A stop ends it with ErrorCode::Cancelled.
Result<Calibration> calibrate(const std::filesystem::path& model, const CalibrateOptions& options);

// "<model>.calibration" beside it where that folder can be written, else in the cache folder.
Result<std::filesystem::path> saveCalibration(const std::filesystem::path& model,
                                              const Calibration& calibration);
// From either place. NotFound where there is none; Corrupt where it is damaged or of another model,
// Unsupported where a newer version wrote it.
Result<Calibration> loadCalibration(const std::filesystem::path& model, const std::string& digest);

Result<void> writeCalibration(const std::filesystem::path& file, const Calibration& calibration);
Result<Calibration> readCalibration(const std::filesystem::path& file, const std::string& digest);

} // namespace engine

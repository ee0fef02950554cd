// The calibration as a file: magic, version, checksum of what follows, then digest, counts and
// ranges. Whatever is not whole, of this model and of this version is refused with the reason.
#include "engine/base/failure.h"
#include "engine/calibrate.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace engine {

namespace {

constexpr std::string_view kMagic = "HWCALIB\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30U;
constexpr std::uint64_t kMostTensors = 1U << 20U;
constexpr std::uint64_t kMostChannels = 1U << 24U;

template <class T>
void append(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void appendText(std::string& out, const std::string& text) {
    append(out, static_cast<std::uint64_t>(text.size()));
    out += text;
}

class Reader {
public:
    explicit Reader(std::string_view in) : m_in(in) {}
    template <class T>
    T number() {
        T value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string_view take(std::uint64_t bytes) {
        if (m_in.size() < bytes) {
            throw Failure(ErrorCode::Corrupt, "It ends too early.");
        }
        const std::string_view taken = m_in.substr(0, bytes);
        m_in.remove_prefix(bytes);
        return taken;
    }
    std::string_view text() { return take(number<std::uint64_t>()); }
    bool isEnd() const { return m_in.empty(); }

private:
    std::string_view m_in;
};

std::string contentsOf(const Calibration& calibration) {
    std::string contents;
    appendText(contents, calibration.modelDigest);
    append(contents, calibration.samples);
    append(contents, calibration.tokens);
    append(contents, static_cast<std::uint64_t>(calibration.largest.size()));
    for (const auto& [tensor, largest] : calibration.largest) {
        appendText(contents, tensor);
        append(contents, static_cast<std::uint64_t>(largest.size()));
        contents.append(reinterpret_cast<const char*>(largest.data()),
                        largest.size() * sizeof(float));
    }
    return contents;
}

std::vector<float> readRange(Reader& reader) {
    const auto channels = reader.number<std::uint64_t>();
    if (channels > kMostChannels) {
        throw Failure(ErrorCode::Corrupt, "It has more channels than any matrix.");
    }
    const std::string_view bytes = reader.take(channels * sizeof(float));
    std::vector<float> largest(channels);
    std::memcpy(largest.data(), bytes.data(), bytes.size());
    if (!std::ranges::all_of(largest,
                             [](float one) { return std::isfinite(one) && one >= 0.0F; })) {
        throw Failure(ErrorCode::Corrupt, "A range in it is no magnitude.");
    }
    return largest;
}

Calibration parse(std::string_view contents) {
    Reader reader(contents);
    Calibration result;
    result.modelDigest = std::string(reader.text());
    result.samples = reader.number<std::int64_t>();
    result.tokens = reader.number<std::int64_t>();
    const auto tensors = reader.number<std::uint64_t>();
    if (tensors > kMostTensors || result.samples < 0 || result.tokens < 0) {
        throw Failure(ErrorCode::Corrupt, "Its counts are no counts.");
    }
    for (std::uint64_t i = 0; i < tensors; ++i) {
        const std::string tensor(reader.text());
        result.largest[tensor] = readRange(reader);
    }
    if (!reader.isEnd()) {
        throw Failure(ErrorCode::Corrupt, "It goes on behind its end.");
    }
    return result;
}

std::string readFile(const std::filesystem::path& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    if (error || !stream) {
        throw Failure(ErrorCode::NotFound,
                      fmt::format("There is no calibration {}: make one with `headway calibrate`.",
                                  file.string()));
    }
    if (size > kLargestFile) {
        throw Failure(ErrorCode::Corrupt, fmt::format("{} is no calibration.", file.string()));
    }
    return {std::istreambuf_iterator<char>(stream), {}};
}

Calibration read(const std::filesystem::path& file, const std::string& digest) {
    const std::string bytes = readFile(file);
    const auto again = [&](ErrorCode code, std::string_view what) {
        return Failure(code, fmt::format("The calibration {} can't be used. {} Run `headway "
                                         "calibrate` again.",
                                         file.string(), what));
    };
    try {
        Reader reader(bytes);
        if (reader.take(kMagic.size()) != kMagic) {
            throw Failure(ErrorCode::Corrupt, "It is another kind of file.");
        }
        if (const auto version = reader.number<std::uint32_t>(); version != kVersion) {
            throw Failure(ErrorCode::Unsupported,
                          fmt::format("It is of version {}, and this program reads version {}.",
                                      version, kVersion));
        }
        const auto checksum = reader.number<std::uint64_t>();
        const std::string_view contents =
            std::string_view(bytes).substr(kMagic.size() + sizeof kVersion + sizeof checksum);
        if (XXH3_64bits(contents.data(), contents.size()) != checksum) {
            throw Failure(ErrorCode::Corrupt, "It is damaged.");
        }
        Calibration result = parse(contents);
        if (result.modelDigest != digest) {
            throw Failure(ErrorCode::Corrupt, "It is of another model.");
        }
        return result;
    } catch (const Failure& failure) {
        throw again(failure.code(), failure.what());
    }
}

std::filesystem::path besideModel(const std::filesystem::path& model) {
    std::filesystem::path file = model;
    if (!file.has_filename()) { // a folder named with its slash
        file = file.parent_path();
    }
    return file.string() + ".calibration";
}

// Empty where there is no such place.
std::filesystem::path inCache(const std::string& digest) {
    std::string name = digest;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '-');
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0') {
        return std::filesystem::path(cache) / "headway/calibration" / name;
    }
    return home == nullptr || *home == '\0'
               ? std::filesystem::path()
               : std::filesystem::path(home) / ".cache/headway/calibration" / name;
}

} // namespace

// The file appears whole or not at all.
Result<void> writeCalibration(const std::filesystem::path& file, const Calibration& calibration) {
    return atTheDoor([&] {
        const std::string contents = contentsOf(calibration);
        std::string bytes(kMagic);
        append(bytes, kVersion);
        append(bytes, static_cast<std::uint64_t>(XXH3_64bits(contents.data(), contents.size())));
        bytes += contents;
        const std::filesystem::path part = file.string() + fmt::format(".{}.part", getpid());
        std::ofstream stream(part, std::ios::binary | std::ios::trunc);
        stream.write(bytes.data(), std::ssize(bytes));
        stream.close();
        std::error_code error;
        if (stream) {
            std::filesystem::rename(part, file, error);
        }
        if (!stream || error) {
            std::error_code ignored;
            std::filesystem::remove(part, ignored);
            throw Failure(ErrorCode::Io,
                          fmt::format("The calibration can't be written to {}: look at the place "
                                      "and its free space.",
                                      file.string()));
        }
    });
}

Result<Calibration> readCalibration(const std::filesystem::path& file, const std::string& digest) {
    return atTheDoor([&] { return read(file, digest); });
}

Result<std::filesystem::path> saveCalibration(const std::filesystem::path& model,
                                              const Calibration& calibration) {
    const std::filesystem::path beside = besideModel(model);
    const auto written = writeCalibration(beside, calibration);
    if (written) {
        return beside;
    }
    const std::filesystem::path cached = inCache(calibration.modelDigest);
    if (cached.empty()) {
        return std::unexpected(written.error());
    }
    std::error_code ignored;
    std::filesystem::create_directories(cached.parent_path(), ignored);
    if (const auto second = writeCalibration(cached, calibration); !second) {
        return std::unexpected(second.error());
    }
    return cached;
}

Result<Calibration> loadCalibration(const std::filesystem::path& model, const std::string& digest) {
    const auto beside = readCalibration(besideModel(model), digest);
    const std::filesystem::path cached = inCache(digest);
    if (beside || cached.empty()) {
        return beside;
    }
    const auto second = readCalibration(cached, digest);
    return second || second.error().code != ErrorCode::NotFound ? second : beside;
}

} // namespace engine

#include "engine/loop/loaded_model.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/loop/memory_reading.h"
#include "engine/model/registry.h"
#include "kernels/cores.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

template <class T>
T orThrow(Result<T> result) {
    if (!result) {
        throw Failure(result.error().code, result.error().message);
    }
    return std::move(*result);
}

void tell(const LoadSettings& settings, std::string phase, std::uint64_t done,
          std::uint64_t total) {
    if (settings.stop.stop_requested()) {
        throw Interrupted();
    }
    if (settings.progress) {
        settings.progress({.phase = std::move(phase),
                           .done = static_cast<std::int64_t>(done),
                           .total = static_cast<std::int64_t>(total)});
    }
}

// Brings the file's pages into memory in order, which a disk likes best. Not for a file that would
// push everything else out: its tensors are then read as they are prepared.
bool readAhead(const Checkpoint& checkpoint, const LoadSettings& settings) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kPiece = 4U << 20U;
    const std::uint64_t total = checkpoint.fileBytes();
    if (settings.config.loadMode != LoadMode::Mmap || total > readMemory().availableBytes / 2) {
        return false;
    }
    std::uint64_t done = 0;
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        for (std::size_t at = 0; at < tensor.bytes.size(); at += kPage) {
            const volatile std::byte* byte = tensor.bytes.data() + at;
            static_cast<void>(*byte);
            if (at % kPiece == 0) {
                tell(settings, "map", done + at, total);
            }
        }
        done += tensor.bytes.size();
    }
    return true;
}

std::unique_ptr<kernels::Ops> makeOps(kernels::ThreadPool& pool, const LoadSettings& settings) {
    return settings.makeOps ? settings.makeOps(pool) : kernels::makeCpuOps(pool);
}

// What the parts of a model say of keys and tensors, with the file and what can be done.
template <class Work>
auto namingFile(const std::filesystem::path& file, Work work) {
    try {
        return work();
    } catch (const Failure& failure) {
        const bool isDamaged = failure.code() == ErrorCode::Corrupt;
        if (!isDamaged && failure.code() != ErrorCode::Unsupported) {
            throw;
        }
        const std::string name = file.has_filename() ? file.filename().string() : file.string();
        throw Failure(failure.code(),
                      fmt::format("{}: {} {}", displayText(name, 200), failure.what(),
                                  isDamaged ? "Fetch the file again, or open another one."
                                            : "Open another model, or another conversion of it."));
    }
}

// A file maps whatever its size; what it is converted to has to fit.
void refuseTooWide(const Checkpoint& checkpoint, const EngineConfig& config) {
    if (config.precision == WeightPrecision::File) {
        return;
    }
    const std::uint64_t needed = weightBytesNeeded(checkpoint, config.precision);
    if (const auto usable = memoryShort(needed)) {
        throw Failure(ErrorCode::OutOfMemory,
                      fmt::format("In {} the weights take {:.1f} GiB, and {:.1f} GiB can be had. "
                                  "Choose another precision.",
                                  valueText(*findField("weights.precision"), config),
                                  static_cast<double>(needed) / 0x1p30,
                                  static_cast<double>(*usable) / 0x1p30));
    }
}

std::unique_ptr<Model> prepareWeights(LoadedModel& loaded, const LoadSettings& settings) {
    refuseTooWide(*loaded.checkpoint, settings.config);
    // Operators of its own: those of the model would hold on to the last weights' memory when
    // others have taken their place.
    const auto preparing = makeOps(*loaded.pool, settings);
    const WeightOptions options{
        .layout = settings.config.weightsLayout == WeightsLayout::Packed
                      ? kernels::WeightLayout::Packed
                      : kernels::WeightLayout::File,
        .precision = settings.config.precision,
        .pool = loaded.pool.get(),
        .preparing = preparing.get(),
        .progress = [&](std::uint64_t done,
                        std::uint64_t total) { tell(settings, "convert", done, total); },
        .stop = settings.stop,
        .onMatrix = settings.onMatrix};
    return makeModel(*loaded.checkpoint, *loaded.ops, options);
}

} // namespace

std::string computingOf(const ModelSpec& spec) {
    const kernels::FormatTraits& format = kernels::traits(spec.preparedFormat);
    return fmt::format("{} x {}", format.blockElements > 1 ? "INT8" : "F32", format.name);
}

namespace {

// What the operator picked: names inside files are often those of a conversion. A split file is
// named without its "-00001-of-00003".
std::string displayName(const std::filesystem::path& file) {
    constexpr std::string_view kPart = "-00000-of-00000";
    std::string stem = file.stem().string();
    const std::size_t rest = stem.size() > kPart.size() ? stem.size() - kPart.size() : 0;
    std::string part = stem.substr(rest);
    std::ranges::replace_if(
        part, [](char c) { return c >= '0' && c <= '9'; }, '0');
    if (part == kPart) {
        stem.resize(rest);
    }
    return displayText(stem);
}

} // namespace

int threadCount(const EngineConfig& config) {
    return config.threads == 0 ? kernels::usableCores() : static_cast<int>(config.threads);
}

LoadedModel loadModel(const std::filesystem::path& path, const LoadSettings& settings,
                      TokenizerUse tokenizerUse) {
    LoadedModel loaded;
    loaded.path = path;
    tell(settings, "open", 0, 0);
    loaded.checkpoint = timedPhase(loaded, "open", 0, [&] {
        return orThrow(openCheckpoint(path, settings.config.loadMode, settings.stop));
    });
    loaded.pool = std::make_unique<kernels::ThreadPool>(threadCount(settings.config));
    if (tokenizerUse == TokenizerUse::Needed) { // while no weights lie beside what it reads
        loaded.readBytesPerSecond = settings.readBytesPerSecond
                                        ? *settings.readBytesPerSecond
                                        : kernels::measureReadBandwidth(*loaded.pool);
    }
    const std::uint64_t bytes = loaded.checkpoint->fileBytes();
    timedPhase(loaded, "map", bytes, [&] { return readAhead(*loaded.checkpoint, settings); });

    loaded.ops = makeOps(*loaded.pool, settings);
    loaded.model = timedPhase(loaded, "convert", bytes, [&] {
        return namingFile(path, [&] { return prepareWeights(loaded, settings); });
    });
    if (tokenizerUse == TokenizerUse::Needed) {
        tell(settings, "tokenizer", 0, 0);
        loaded.tokenizer = timedPhase(loaded, "tokenizer", 0, [&] {
            return namingFile(path, [&] { return orThrow(makeTokenizer(*loaded.checkpoint)); });
        });
        loaded.chat = makeChatFormat(*loaded.checkpoint);
    }
    if (const auto whole = loaded.stillWhole(); !whole) {
        throw Failure(whole.error().code, whole.error().message);
    }
    return loaded;
}

Capabilities describe(const LoadedModel& loaded) {
    const ModelSpec& spec = loaded.model->spec();
    const kernels::Machine machine = kernels::describeMachine();
    Capabilities result;
    result.modelName = displayName(loaded.path);
    result.modelPath = loaded.path.string();
    result.modelDigest = loaded.checkpoint->digest();
    result.architecture = spec.architecture;
    result.fileFormat = std::string(kernels::traits(spec.weightFormat).name);
    result.computing = computingOf(spec);
    result.chatFormat = loaded.chat ? std::string(loaded.chat->name()) : "none";
    result.device = "CPU";
    result.isa = loaded.ops->isa();
    result.cpu = machine.cpu;
    result.parameters = spec.parameters;
    result.contextTokens = spec.contextTokens;
    result.vocabulary = spec.vocabulary;
    result.kvBytesPerToken = spec.kvBytesPerToken();
    return result;
}

} // namespace engine

// GGUF files of the type "adapter", as llama.cpp's converter writes them.
#include "engine/base/display_text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf.h"
#include "engine/model/adapter_source.h"

#include <fmt/format.h>

#include <cmath>

namespace engine {

namespace {

void checkHead(const AdapterSource& source, const Checkpoint& checkpoint, const AdapterBase& base) {
    const auto fail = [&source](const std::string& problem) {
        refuseAdapter(source.what, problem, ErrorCode::Invalid);
    };
    if (checkpoint.text("general.type") != "adapter") {
        fail("this is no adapter (general.type); load it as a model");
    }
    if (const auto type = checkpoint.text("adapter.type").value_or("lora"); type != "lora") {
        fail(fmt::format("adapters of the type \"{}\" are not supported; lora is",
                         displayText(type)));
    }
    if (checkpoint.metadata("adapter.alora.invocation_tokens") != nullptr) {
        fail("adapters that wait for an invocation are not supported");
    }
    const auto architecture = checkpoint.text("general.architecture").value_or("");
    if (architecture != base.architecture) {
        fail(
            fmt::format("the adapter is for models of the architecture \"{}\"; the loaded one's is "
                        "\"{}\"",
                        displayText(architecture), base.architecture));
    }
}

} // namespace

AdapterSource readGgufAdapter(const std::filesystem::path& file, const AdapterBase& base) {
    std::shared_ptr<const Checkpoint> checkpoint = gguf::openCheckpoint(file, LoadMode::Mmap, {});
    AdapterSource source;
    source.what = displayText(file.filename().string());
    source.alphaIsOptional = true; // as llama.cpp reads it
    source.hasPairs = true;
    source.isWhole = [checkpoint] { return checkpoint->stillWhole().has_value(); };
    checkHead(source, *checkpoint, base);
    const double alpha = checkpoint->number("adapter.lora.alpha").value_or(0.0);
    if (!std::isfinite(alpha)) {
        refuseAdapter(source.what, "adapter.lora.alpha is no number", ErrorCode::Corrupt);
    }
    for (const TensorEntry& tensor : checkpoint->tensors()) {
        constexpr std::string_view kA = ".weight.lora_a", kB = ".weight.lora_b";
        const bool isA = tensor.name.ends_with(kA);
        if (!isA && !tensor.name.ends_with(kB)) {
            refuseAdapter(source.what,
                          fmt::format("the tensor \"{}\" is no part of a low-rank adapter",
                                      displayText(tensor.name)));
        }
        const std::string site = tensor.name.substr(0, tensor.name.size() - kA.size());
        addMatrix(source, site, isA,
                  {.name = tensor.name,
                   .view = {.data = const_cast<std::byte*>(tensor.bytes.data()),
                            .format = tensor.format,
                            .shape = tensor.shape}});
        source.pairs[site].alpha = alpha;
    }
    source.memory = std::move(checkpoint);
    return source;
}

} // namespace engine

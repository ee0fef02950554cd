#include "engine/checkpoint/hf_checkpoint.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/header_digest.h"
#include "engine/checkpoint/hf_plan.h"
#include "engine/checkpoint/hf_tokenizer.h"
#include "engine/checkpoint/json_input.h"
#include "engine/checkpoint/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

namespace engine::hf {

namespace {

namespace fs = std::filesystem;

struct Shard {
    MappedFile file;
    safetensors::Layout layout;
};

std::string shownName(const fs::path& file) {
    return displayText(file.filename().string());
}

std::vector<Shard> openShards(const ModelFolder& folder, LoadMode mode,
                              const std::stop_token& stop) {
    std::vector<Shard> shards;
    for (const fs::path& path : folder.shards) {
        MappedFile file(path, mode, stop);
        safetensors::Layout layout = safetensors::parseLayout(file.bytes(), shownName(path));
        shards.push_back({std::move(file), std::move(layout)});
    }
    return shards;
}

// The tensors that count: those that the index names, each from the shard it says.
std::vector<StoredTensor> collect(const ModelFolder& folder, const std::vector<Shard>& shards) {
    std::vector<StoredTensor> stored;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        for (const safetensors::TensorRecord& record : shards[i].layout.tensors) {
            const auto said = folder.shardOf.find(record.name);
            if (folder.shardOf.empty() || (said != folder.shardOf.end() && said->second == i)) {
                stored.push_back(
                    {.record = &record,
                     .bytes = shards[i].file.bytes().subspan(record.begin, record.bytes)});
            }
        }
    }
    if (folder.shardOf.empty() || stored.size() == folder.shardOf.size()) {
        return stored;
    }
    std::unordered_map<std::string_view, bool> found;
    for (const StoredTensor& tensor : stored) {
        found.emplace(tensor.record->name, true);
    }
    for (const auto& [name, shard] : folder.shardOf) {
        if (!found.contains(name)) {
            throw Failure(
                ErrorCode::Corrupt,
                fmt::format("{}: the tensor \"{}\", which the index expects in this file, "
                            "is not there. Download the model again.",
                            shownName(folder.shards[shard]), displayText(name)));
        }
    }
    return stored;
}

Config readConfigOf(const ModelFolder& folder) {
    const nlohmann::json document = readJsonObject(folder.folder / "config.json");
    if (document.is_null()) {
        throw Failure(ErrorCode::NotFound,
                      fmt::format("{}: config.json is missing in its folder; without it nobody "
                                  "knows what model this is. Put it there.",
                                  shownName(folder.shards.front())));
    }
    return readConfig(document, "config.json");
}

// The hub's cache calls folders by hashes; the model's name stands further up.
std::string modelName(const fs::path& folder) {
    std::error_code error;
    const fs::path whole = fs::absolute(folder, error).lexically_normal();
    const fs::path named = whole.filename().empty() ? whole.parent_path() : whole;
    const std::string cached = named.parent_path().parent_path().filename().string();
    if (named.parent_path().filename() == "snapshots" && cached.starts_with("models--")) {
        const std::size_t last = cached.rfind("--");
        return displayText(cached.substr(last + 2));
    }
    return displayText(named.filename().string());
}

class HfCheckpoint final : public Checkpoint {
public:
    HfCheckpoint(std::vector<Shard> shards, Plan plan, Metadata metadata, std::string digest)
        : m_shards(std::move(shards)),
          m_metadata(std::move(metadata)),
          m_notices(std::move(plan.notices)),
          m_digest(std::move(digest)) {
        for (PlannedTensor& planned : plan.tensors) {
            if (planned.isComputable) {
                m_tensors.push_back(std::move(planned.entry));
                m_recipes.push_back(std::move(planned.recipe));
            }
        }
        for (std::size_t i = 0; i < m_tensors.size(); ++i) {
            m_byName.emplace(m_tensors[i].name, i);
        }
    }

    const std::vector<TensorEntry>& tensors() const override { return m_tensors; }
    const TensorEntry* find(std::string_view name) const override {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : &m_tensors[found->second];
    }
    const MetadataValue* metadata(std::string_view key) const override {
        const auto found = m_metadata.values.find(std::string(key));
        return found == m_metadata.values.end() ? nullptr : &found->second;
    }
    const std::vector<std::string>& metadataKeys() const override { return m_metadata.keys; }
    std::uint64_t fileBytes() const override {
        std::uint64_t bytes = 0;
        for (const Shard& shard : m_shards) {
            bytes += shard.file.bytes().size();
        }
        return bytes;
    }
    std::string digest() const override { return m_digest; }
    std::vector<std::string> notices() const override { return m_notices; }

    std::span<const std::byte> contents(const TensorEntry& tensor) const override {
        if (!tensor.bytes.empty()) {
            return tensor.bytes;
        }
        const std::size_t place = placeOf(tensor);
        return made({place, kWhole}, [&](std::vector<std::byte>& out) {
            const TensorRecipe& recipe = m_recipes[place];
            out.resize(tensor.size());
            std::ranges::copy(std::as_bytes(std::span(recipe.constants)), out.begin());
            std::size_t at = 0;
            for (const TensorPiece& piece : recipe.pieces) {
                makePiece(recipe, piece, out.data() + at);
                at += bytesOf(recipe, piece);
            }
        });
    }

    std::span<const std::byte> contents(const TensorEntry& tensor,
                                        std::int64_t index) const override {
        if (!tensor.bytes.empty()) {
            return Checkpoint::contents(tensor, index);
        }
        const std::size_t place = placeOf(tensor);
        const TensorRecipe& recipe = m_recipes[place];
        const auto number = static_cast<std::size_t>(index);
        if (static_cast<std::int64_t>(recipe.pieces.size()) != tensor.shape[0]) {
            const std::span<const std::byte> whole = contents(tensor);
            const std::size_t bytes = whole.size() / static_cast<std::size_t>(tensor.shape[0]);
            return whole.subspan(number * bytes, bytes);
        }
        const TensorPiece& piece = recipe.pieces[number];
        if (recipe.isPlain()) {
            return storedBytes(recipe, piece);
        }
        return made({place, index}, [&](std::vector<std::byte>& out) {
            out.resize(bytesOf(recipe, piece));
            makePiece(recipe, piece, out.data());
        });
    }

    void release(const TensorEntry& tensor) const override {
        const std::size_t place = placeOf(tensor);
        {
            const std::scoped_lock lock(m_mutex);
            m_made.erase(m_made.lower_bound({place, kWhole}),
                         m_made.lower_bound({place + 1, kWhole}));
        }
        for (const TensorPiece& piece : m_recipes[place].pieces) {
            releasePages(piece, m_recipes[place]);
        }
    }

    Result<void> stillWhole() const override {
        for (const Shard& shard : m_shards) {
            if (!shard.file.isWhole()) {
                return std::unexpected(Error{
                    ErrorCode::Corrupt,
                    fmt::format("{} became shorter or unreadable while it was in use. Put the "
                                "file back and reload the model.",
                                displayText(shard.file.path().string(), 400))});
            }
        }
        return {};
    }

private:
    using MadeKey = std::pair<std::size_t, std::int64_t>; // tensor, index
    static constexpr std::int64_t kWhole = -1;

    std::size_t placeOf(const TensorEntry& tensor) const {
        return static_cast<std::size_t>(&tensor - m_tensors.data());
    }

    // Made once, also when several threads ask.
    template <class Make>
    std::span<const std::byte> made(const MadeKey& key, Make make) const {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_made.find(key);
        if (found != m_made.end()) {
            return found->second;
        }
        std::vector<std::byte> bytes;
        make(bytes);
        return m_made.emplace(key, std::move(bytes)).first->second;
    }

    void releasePages(const TensorPiece& piece, const TensorRecipe& recipe) const {
        const std::size_t row =
            static_cast<std::size_t>(piece.columns) *
            (recipe.isFloat8 ? 1 : kernels::formatBytes(recipe.storedFormat, 1));
        const std::span part(piece.matrix + static_cast<std::size_t>(piece.firstRow) * row,
                             static_cast<std::size_t>(piece.rows) * row);
        for (const Shard& shard : m_shards) {
            const auto bytes = shard.file.bytes();
            if (part.data() >= bytes.data() && part.data() < bytes.data() + bytes.size()) {
                shard.file.release(part);
            }
        }
    }

    std::vector<Shard> m_shards;
    Metadata m_metadata;
    std::vector<std::string> m_notices;
    std::string m_digest;
    std::vector<TensorEntry> m_tensors;
    std::vector<TensorRecipe> m_recipes;                        // of the same place
    std::unordered_map<std::string_view, std::size_t> m_byName; // views into m_tensors
    mutable std::mutex m_mutex;
    mutable std::map<MadeKey, std::vector<std::byte>> m_made; // guarded by m_mutex
};

std::string digestOf(const std::vector<Shard>& shards, const fs::path& folder) {
    HeaderDigest digest;
    for (const Shard& shard : shards) {
        digest.add(shard.file.bytes().first(shard.layout.dataBegin));
        digest.add(shard.file.bytes().size());
    }
    for (const char* const name : {"config.json", "generation_config.json", "tokenizer.json",
                                   "tokenizer_config.json", "chat_template.jinja"}) {
        const auto text = readSmallFile(folder / name, kLargestTokenizer);
        digest.add(text ? text->size() : 0);
        if (text) {
            digest.add(std::as_bytes(std::span<const char>(*text)));
        }
    }
    return digest.text();
}

struct Opened {
    std::vector<Shard> shards;
    Plan plan;
    Metadata metadata;
    std::string digest;
};

// A tokenizer.json alone, like GGUF files that hold a vocabulary only.
Opened openVocabulary(const fs::path& folder) {
    const nlohmann::json document = readJsonObject(folder / "config.json");
    Config config;
    config.model = nlohmann::json::object();
    if (!document.is_null()) {
        config = readConfig(document, "config.json");
    }
    Opened opened;
    config.metadata.set("general.name", modelName(folder));
    addTokenizer(folder, config, opened.plan.notices);
    opened.metadata = std::move(config.metadata);
    opened.digest = digestOf({}, folder);
    return opened;
}

Opened open(const fs::path& path, LoadMode mode, const std::stop_token& stop) {
    if (const fs::path vocabulary = vocabularyFolder(path); !vocabulary.empty()) {
        return openVocabulary(vocabulary);
    }
    const ModelFolder folder = findModelFiles(path);
    Config config = readConfigOf(folder);
    Opened opened;
    opened.shards = openShards(folder, mode, stop);
    opened.plan = makePlan(collect(folder, opened.shards), config);
    config.metadata.set("general.name", modelName(folder.folder));
    addTokenizer(folder.folder, config, opened.plan.notices);
    opened.metadata = std::move(config.metadata);
    opened.digest = digestOf(opened.shards, folder.folder);
    return opened;
}

std::unique_ptr<Checkpoint> checkpointOf(Opened opened) {
    return std::make_unique<HfCheckpoint>(std::move(opened.shards), std::move(opened.plan),
                                          std::move(opened.metadata), std::move(opened.digest));
}

} // namespace

std::unique_ptr<Checkpoint> openCheckpoint(const fs::path& path, LoadMode mode,
                                           const std::stop_token& stop) {
    Opened opened = open(path, mode, stop);
    for (const PlannedTensor& planned : opened.plan.tensors) {
        if (!planned.isComputable) {
            throw Failure(ErrorCode::Unsupported,
                          fmt::format("The dtype {} of the tensor \"{}\" is not supported; F32, "
                                      "F16, BF16 and F8_E4M3 with scales are.",
                                      planned.dtype, displayText(planned.entry.name)));
        }
    }
    return checkpointOf(std::move(opened));
}

Listing listModel(const fs::path& path) {
    Opened opened = open(path, LoadMode::Mmap, {});
    Listing listing;
    listing.container = "safetensors";
    listing.files = std::ssize(opened.shards);
    for (const PlannedTensor& planned : opened.plan.tensors) {
        listing.tensors.push_back(
            {.name = planned.entry.name,
             .format = planned.dtype,
             .shape = planned.entry.shape,
             .bytes = planned.storedBytes,
             .loaded = planned.isComputable ? std::optional(planned.entry.format) : std::nullopt});
    }
    listing.checkpoint = checkpointOf(std::move(opened));
    return listing;
}

} // namespace engine::hf

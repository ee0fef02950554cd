#include "engine/checkpoint/hf_plan.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/hf_config_values.h"
#include "engine/checkpoint/hf_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace engine::hf {

namespace {

using kernels::Format;
using safetensors::TensorRecord;

[[noreturn]] void refuse(const TensorRecord& tensor, const std::string& problem,
                         ErrorCode code = ErrorCode::Corrupt) {
    throw Failure(code, fmt::format("The tensor \"{}\" {}.", displayText(tensor.name), problem));
}

kernels::Shape shapeOf(const TensorRecord& tensor) {
    const auto& dims = tensor.shape;
    if (std::ranges::find(dims, 0) != dims.end()) {
        refuse(tensor, "has a dimension of 0");
    }
    switch (dims.size()) {
    case 0:
        return {1};
    case 1:
        return {dims[0]};
    case 2:
        return {dims[0], dims[1]};
    case 3:
        return {dims[0], dims[1], dims[2]};
    case 4:
        return {dims[0], dims[1], dims[2], dims[3]};
    default:
        refuse(tensor, fmt::format("has {} dimensions; at most 4 are supported", dims.size()),
               ErrorCode::Unsupported);
    }
}

class Planner {
public:
    Planner(const std::vector<StoredTensor>& stored, const Config& config) : m_config(config) {
        for (const StoredTensor& tensor : stored) {
            m_byName.emplace(tensor.record->name, &tensor);
        }
        for (const StoredTensor& tensor : stored) {
            const Fate fate = fateOf(tensor.record->name, config.architecture, config.layers);
            std::visit([&](const auto& is) { take(tensor, is); }, fate);
        }
        for (auto& [name, experts] : m_experts) {
            stack(name, experts);
        }
        settleOutput();
        addRopeDivisors();
        addNotices();
    }

    Plan result() { return std::move(m_plan); }

private:
    struct NumberedExpert {
        std::int64_t index;
        const StoredTensor* tensor;
    };

    void add(PlannedTensor planned) {
        if (!m_names.emplace(planned.entry.name, m_plan.tensors.size()).second) {
            throw Failure(ErrorCode::Corrupt,
                          fmt::format("Two tensors of the file both stand for {}.",
                                      displayText(planned.entry.name)));
        }
        if (planned.isComputable && planned.recipe.isPlain() && planned.recipe.pieces.size() == 1) {
            planned.entry.bytes = storedBytes(planned.recipe, planned.recipe.pieces.front());
        }
        m_plan.tensors.push_back(std::move(planned));
    }

    // Format and scales of one stored tensor, seen as a matrix of so many rows.
    PlannedTensor begin(const std::string& name, const StoredTensor& stored) const {
        const TensorRecord& record = *stored.record;
        PlannedTensor planned;
        planned.entry.name = name;
        planned.entry.shape = shapeOf(record);
        planned.dtype = std::string(record.dtype->name);
        planned.storedBytes = record.bytes;
        planned.recipe.stored = record.name;
        planned.recipe.isFloat8 = record.dtype->name == safetensors::kFloat8;
        planned.isComputable = planned.recipe.isFloat8 || record.dtype->format.has_value();
        planned.recipe.storedFormat = record.dtype->format.value_or(Format::F16);
        planned.recipe.format = planned.recipe.storedFormat; // FP8 becomes F16
        planned.entry.format = planned.recipe.format;
        return planned;
    }

    TensorPiece pieceOf(const StoredTensor& stored) const {
        const kernels::Shape shape = shapeOf(*stored.record);
        TensorPiece piece{.matrix = stored.bytes.data(),
                          .firstRow = 0,
                          .rows = shape.rows(),
                          .columns = shape.rowLength(),
                          .scales = {}};
        if (stored.record->dtype->name == safetensors::kFloat8) {
            piece.scales = scalesOf(stored, shape);
        }
        return piece;
    }

    BlockScales scalesOf(const StoredTensor& stored, const kernels::Shape& shape) const {
        const TensorRecord& record = *stored.record;
        const auto found = m_byName.find(record.name + "_scale_inv");
        if (found == m_byName.end() || m_config.blockRows < 1) {
            refuse(record,
                   "is stored in FP8 without scales for its blocks (weight_scale_inv and "
                   "quantization_config.weight_block_size)",
                   ErrorCode::Unsupported);
        }
        if (shape.rank() != 2) {
            refuse(record, "is stored in FP8 and is no matrix", ErrorCode::Unsupported);
        }
        const TensorRecord& scale = *found->second->record;
        const auto blocks = [](std::int64_t size, std::int64_t block) {
            return size / block + (size % block == 0 ? 0 : 1);
        };
        const std::vector<std::int64_t> wanted{blocks(shape[0], m_config.blockRows),
                                               blocks(shape[1], m_config.blockColumns)};
        if (scale.dtype->name != "F32" || scale.shape != wanted) {
            refuse(scale, fmt::format("is {}; {} by {} scales in F32 are expected",
                                      scale.dtype->name, wanted[0], wanted[1]));
        }
        return {.data = found->second->bytes.data(),
                .columns = wanted[1],
                .blockRows = m_config.blockRows,
                .blockColumns = m_config.blockColumns};
    }

    void take(const StoredTensor& stored, const Kept& kept) {
        PlannedTensor planned = begin(kept.name, stored);
        if (planned.isComputable) {
            planned.recipe.pieces = {pieceOf(stored)};
        }
        if (kept.addsOne && planned.isComputable) {
            const Format format = planned.recipe.storedFormat;
            if (planned.recipe.isFloat8 || kernels::traits(format).blockElements != 1) {
                refuse(*stored.record, "is a norm in a format that no norm has");
            }
            planned.recipe.addsOne = true;
            planned.recipe.format = Format::F32;
            planned.entry.format = Format::F32;
        }
        add(std::move(planned));
    }

    void take(const StoredTensor& stored, const Expert& expert) {
        m_experts[expert.name].push_back({expert.index, &stored});
    }

    void stack(const std::string& name, std::vector<NumberedExpert>& experts) {
        std::ranges::sort(experts, {}, &NumberedExpert::index);
        const TensorRecord& first = *experts.front().tensor->record;
        PlannedTensor planned = begin(name, *experts.front().tensor);
        planned.storedBytes = 0;
        for (std::size_t i = 0; i < experts.size(); ++i) {
            const TensorRecord& record = *experts[i].tensor->record;
            if (experts[i].index != static_cast<std::int64_t>(i)) {
                refuse(record, fmt::format("is there, but expert {} of the same layer is not", i));
            }
            if (record.shape != first.shape || record.dtype != first.dtype ||
                record.shape.size() != 2) {
                refuse(record, "differs in shape or format from the layer's first expert");
            }
            if (planned.isComputable) {
                planned.recipe.pieces.push_back(pieceOf(*experts[i].tensor));
            }
            planned.storedBytes += record.bytes;
        }
        planned.entry.shape = {std::ssize(experts), first.shape[0], first.shape[1]};
        add(std::move(planned));
    }

    void take(const StoredTensor& stored, const FusedExperts& fused) {
        const TensorRecord& record = *stored.record;
        if (record.shape.size() != 3 || record.shape[1] % 2 != 0) {
            refuse(record, "is no stack of gates and ups");
        }
        for (const auto& [name, half] : {std::pair(fused.gate, 0), std::pair(fused.up, 1)}) {
            PlannedTensor planned = begin(name, stored);
            const std::int64_t rows = record.shape[1] / 2;
            planned.entry.shape = {record.shape[0], rows, record.shape[2]};
            planned.storedBytes = record.bytes / 2;
            for (std::int64_t i = 0; planned.isComputable && i < record.shape[0]; ++i) {
                TensorPiece piece = pieceOf(stored);
                piece.firstRow = (2 * i + half) * rows;
                piece.rows = rows;
                planned.recipe.pieces.push_back(piece);
            }
            add(std::move(planned));
        }
    }

    // kv_b holds, a head after the other, rows of keys and rows of values. GGUF files have the keys
    // the other way round: what is multiplied is the query.
    void take(const StoredTensor& stored, const KeysAndValues& names) {
        const TensorRecord& record = *stored.record;
        const Values values(m_config.model, "config.json");
        const std::int64_t heads = values.needed("num_attention_heads", 1, 1 << 16);
        const std::int64_t keyRows = values.needed("qk_nope_head_dim", 1, 1 << 16);
        const std::int64_t valueRows = values.needed("v_head_dim", 1, 1 << 16);
        if (record.shape.size() != 2 || record.shape[0] != heads * (keyRows + valueRows)) {
            refuse(record, fmt::format("does not have the {} rows that config.json says",
                                       heads * (keyRows + valueRows)));
        }
        PlannedTensor keys = begin(names.key, stored);
        PlannedTensor vectors = begin(names.value, stored);
        keys.entry.shape = {heads, record.shape[1], keyRows};
        keys.recipe.transposes = true;
        vectors.entry.shape = {heads, valueRows, record.shape[1]};
        const auto bytesOfRows = [&](std::int64_t rows) {
            return record.bytes / static_cast<std::uint64_t>(keyRows + valueRows) *
                   static_cast<std::uint64_t>(rows);
        };
        keys.storedBytes = bytesOfRows(keyRows);
        vectors.storedBytes = bytesOfRows(valueRows);
        for (std::int64_t head = 0; keys.isComputable && head < heads; ++head) {
            TensorPiece piece = pieceOf(stored);
            piece.firstRow = head * (keyRows + valueRows);
            piece.rows = keyRows;
            keys.recipe.pieces.push_back(piece);
            piece.firstRow += keyRows;
            piece.rows = valueRows;
            vectors.recipe.pieces.push_back(piece);
        }
        if (keys.isComputable && !keys.recipe.isFloat8 &&
            kernels::formatBytes(keys.recipe.format, 1) > 4) {
            refuse(record, "is in a format that no attention computes with",
                   ErrorCode::Unsupported);
        }
        add(std::move(keys));
        add(std::move(vectors));
    }

    void take(const StoredTensor&, const Scale&) {} // looked up by those who need it

    void take(const StoredTensor&, const Omitted& omitted) {
        ++m_omitted[static_cast<std::size_t>(omitted.reason)];
    }

    // Some files hold an output that the config ties to the embedding: it is the embedding.
    void settleOutput() {
        const auto output = m_names.find("output.weight");
        if (output == m_names.end() && m_config.isTied == false) {
            throw Failure(ErrorCode::Corrupt,
                          "The tensor lm_head.weight is missing, and config.json says "
                          "(tie_word_embeddings) that the embedding does not stand in for it.");
        }
        if (output != m_names.end() && m_config.isTied == true) {
            m_plan.tensors.erase(m_plan.tensors.begin() +
                                 static_cast<std::ptrdiff_t>(output->second));
        }
    }

    void addRopeDivisors() {
        if (m_config.ropeDivisors.empty()) {
            return;
        }
        PlannedTensor planned;
        planned.entry.name = "rope_freqs.weight";
        planned.entry.shape = {std::ssize(m_config.ropeDivisors)};
        planned.dtype = "F32";
        planned.recipe.constants = m_config.ropeDivisors;
        m_plan.tensors.push_back(std::move(planned));
    }

    void addNotices() {
        const auto count = [&](Omission reason) {
            return m_omitted[static_cast<std::size_t>(reason)];
        };
        if (const auto tensors = count(Omission::Prediction); tensors > 0) {
            m_plan.notices.push_back(fmt::format(
                "The model has layers that predict further tokens (MTP, {} tensors behind layer "
                "{}): they are left out.",
                tensors, m_config.layers - 1));
        }
        if (const auto tensors = count(Omission::Senses); tensors > 0) {
            m_plan.notices.push_back(fmt::format(
                "The model also takes pictures ({} tensors): that part is left out.", tensors));
        }
        const bool hasFloat8 = std::ranges::any_of(
            m_plan.tensors, [](const PlannedTensor& tensor) { return tensor.recipe.isFloat8; });
        if (hasFloat8) {
            m_plan.notices.push_back("Weights in FP8 are converted to 16-bit floats when they are "
                                     "loaded.");
        }
    }

    const Config& m_config;
    std::unordered_map<std::string_view, const StoredTensor*> m_byName;
    std::map<std::string, std::vector<NumberedExpert>> m_experts;
    std::unordered_map<std::string, std::size_t> m_names; // canonical name to place
    std::array<std::int64_t, 3> m_omitted{};
    Plan m_plan;
};

} // namespace

Plan makePlan(const std::vector<StoredTensor>& stored, const Config& config) {
    return Planner(stored, config).result();
}

} // namespace engine::hf

// Takes a checkpoint's tensors into the device's memory: shapes checked, pages read with progress,
// file pages released once a weight is packed. One thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/model/adapter.h"
#include "engine/model/weight_precision.h"
#include "kernels/ops.h"

#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernels {
class ThreadPool;
}

namespace engine {

// What a matrix does in its layer, as far as its precision depends on it.
enum class WeightRole : std::uint8_t {
    Embedding,
    AttentionInput,
    AttentionOutput,
    FeedForward,
    Output
};

// Which products round their activations finely: where an error passes through a softmax or many
// layers, or through none that could even it out. Default model, mean KL against float64: 0.0024
// with none, 0.0010 with these for a fifth more arithmetic, 0.0006 with the output too, which is
// another fifth of a decoded batch.
kernels::ActivationPrecision activationPrecision(WeightRole role, std::int64_t layer,
                                                 std::int64_t layers);

struct WeightOptions {
    kernels::WeightLayout layout = kernels::WeightLayout::Packed; // of what is not converted
    WeightPrecision precision = WeightPrecision::File;
    kernels::ThreadPool* pool = nullptr; // converts; needed for any precision but the file's
    kernels::Ops* preparing = nullptr;   // packs; null: those that the model will run on
    std::function<void(std::uint64_t doneBytes, std::uint64_t totalBytes)> progress;
    std::stop_token stop;
    // Told of every matrix before it is prepared; true: as the file has it, whatever the precision.
    std::function<bool(const std::string& name)> onMatrix = {};
    // Shapes, formats and names are checked and no matrix is read: a model that can't run.
    bool isTrial = false;
};

using WeightVector = std::vector<std::unique_ptr<kernels::Weight>>;

class WeightLoader {
public:
    WeightLoader(const Checkpoint& checkpoint, kernels::Ops& ops, const WeightOptions& options);

    bool has(const std::string& name) const { return m_checkpoint.find(name) != nullptr; }

    // Throw Failure with the tensor's name and both shapes; Interrupted on stop. Null in a trial.
    std::unique_ptr<kernels::Weight> matrix(const std::string& name, std::int64_t rows,
                                            std::int64_t columns,
                                            kernels::ActivationPrecision precision);
    // One weight for each of `count` matrices that a tensor holds, [count, fileRows, columns] or
    // those rows in one matrix: of each the rows [firstRow, firstRow + rows).
    struct Stacked {
        std::int64_t count = 0, rows = 0, columns = 0;
        std::int64_t fileRows = 0; // 0: rows
        std::int64_t firstRow = 0;
    };
    WeightVector stack(const std::string& name, const Stacked& stacked,
                       kernels::ActivationPrecision precision);
    // A matrix of the tensor `name` with other rows and columns; `view` need not outlive the call.
    std::unique_ptr<kernels::Weight> own(const std::string& name, const kernels::View& view,
                                         kernels::ActivationPrecision precision);
    // The values of a matrix as F32: [rows, columns]; in a trial empty.
    kernels::Buffer values(const std::string& name, std::int64_t rows, std::int64_t columns);
    // As F32 whatever the file's format: in the CPU's memory, or where the operators compute.
    kernels::Buffer readableVector(const std::string& name, std::int64_t length);
    kernels::Buffer vector(const std::string& name, std::int64_t length);
    kernels::Buffer vectorIfPresent(const std::string& name, std::int64_t length);

    // Tensors whose names begin so are not missed; how many there are.
    std::int64_t leaveOut(std::string_view prefix);
    // Throws where the file holds tensors that nobody took: the graph would not be the model's.
    void refuseLeftOvers() const;

    // A projection that adapters may add to.
    void addSite(ProjectionSite site) { m_sites.push_back(std::move(site)); }
    const std::vector<ProjectionSite>& sites() const { return m_sites; }

    std::uint64_t parameters() const { return m_parameters; }
    // The format that most weight elements are stored in, in the file and here.
    kernels::Format dominantFormat() const { return m_elements.dominant(); }
    kernels::Format dominantPrepared() const { return m_prepared.dominant(); }
    std::vector<WeightGroupStatus> groups() const { return m_groups.status(); }

private:
    const TensorEntry& take(const std::string& name, const kernels::Shape& shape);
    const TensorEntry& takeMatrix(const std::string& name, const kernels::Shape& shape);
    // What the values of `count` matrices of a tensor are multiplied by: NVFP4 files keep it in a
    // tensor beside it, one for all or one for each; otherwise 1.
    std::vector<float> takeFactors(const TensorEntry& matrix, std::int64_t count);
    void readPages(const TensorEntry& tensor);
    std::unique_ptr<kernels::Weight> prepare(const std::string& name, const kernels::View& view,
                                             kernels::WeightLayout layout,
                                             kernels::ActivationPrecision precision);
    void releaseAfter(const TensorEntry& tensor);

    const Checkpoint& m_checkpoint;
    kernels::Ops& m_ops;
    const WeightOptions& m_options;
    std::set<std::string> m_taken;
    struct FormatCounts {
        void add(kernels::Format format, std::uint64_t elements);
        kernels::Format dominant() const;
        std::vector<std::pair<kernels::Format, std::uint64_t>> counts;
    };
    FormatCounts m_elements; // of the file
    FormatCounts m_prepared; // of what was made of them
    WeightGroups m_groups;
    std::vector<ProjectionSite> m_sites;
    std::uint64_t m_parameters = 0;
    std::uint64_t m_doneBytes = 0;
    std::uint64_t m_totalBytes = 0;
};

} // namespace engine

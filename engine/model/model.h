// A graph and its numbers: logits for the rows of a batch that want them. Sees arrays, never a
// queue. Engine thread.
#pragma once

#include "engine/base/failure.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/adapter.h"
#include "engine/schedule/batch.h"
#include "kernels/ops.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace engine {

// Thrown out of a long computation that was told to stop.
class Interrupted : public Failure {
public:
    Interrupted() : Failure(ErrorCode::Cancelled, "Cancelled.") {}
};

struct ModelSpec {
    std::string architecture;
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0; // where layers differ, the most
    std::int64_t headDim = 0;
    std::int64_t feedForward = 0; // where layers differ, the widest dense one
    std::int64_t vocabulary = 0;
    std::int64_t contextTokens = 0;
    float rmsEpsilon = 1e-5F;
    bool isOutputTied = false;
    std::uint64_t parameters = 0;
    kernels::Format weightFormat = kernels::Format::F32;   // of most weights in the file
    kernels::Format preparedFormat = kernels::Format::F32; // and as they are computed with
    std::vector<WeightGroupStatus> weightGroups;

    std::vector<ProjectionSite> sites; // that adapters may add to
    KvShape kv;                        // what a token leaves behind, layer by layer
    std::vector<std::string> notices;  // what of the file is not used, in sentences

    // Of one sequence of so many tokens.
    std::uint64_t kvBytes(std::int64_t tokens, const KvFormat& format = {}) const;
    std::uint64_t kvBytesPerToken(const KvFormat& format = {}) const { return kvBytes(1, format); }
};

class Model {
public:
    virtual ~Model() = default;

    virtual const ModelSpec& spec() const = 0;
    virtual std::uint64_t weightsBytes() const = 0;
    // Read from memory by one step of so many tokens, by the output matrix too where logits are
    // wanted. Of experts that a step chooses, as many as are expected.
    virtual std::uint64_t trafficBytes(std::int64_t tokens, bool wantsLogits) const = 0;

    // Scratch for steps of at most so many tokens and logit rows. Throws std::bad_alloc, and then
    // the model is as it was.
    virtual void reserve(std::int64_t tokens, std::int64_t logitRows) = 0;

    // logits of batch.logitRows, valid until the next call: [logitRows, vocabulary] F32. Throws
    // Interrupted within one layer of a stop. Precondition: reserve() for this size.
    virtual kernels::View forward(const Batch& batch, const KvCache& kv,
                                  const std::stop_token& stop) = 0;
};

} // namespace engine

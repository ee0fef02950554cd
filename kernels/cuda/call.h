// The arguments of one operator on the device. Views of CPU memory are copied into scratch; those
// that are written are copied back by finish(). Lives as long as the operator's call.
#pragma once

#include "kernels/cuda/cuda_ops.h"
#include "kernels/cuda/launch.cuh"

#include <utility>
#include <vector>

namespace kernels::cuda {

class Call {
public:
    explicit Call(CudaOps& ops);

    Arena& arena() { return m_ops.m_arena; }
    cudaStream_t stream() const { return m_ops.m_stream.get(); }
    int processors() const { return m_ops.m_processors; }

    // To read, and to read and write. Views of the same bytes get the same bytes.
    const float* in(const View& view) {
        return reinterpret_cast<const float*>(bytesOf(view, false));
    }
    float* out(const View& view) { return reinterpret_cast<float*>(bytesOf(view, true)); }
    const std::byte* bytesIn(const View& view) { return bytesOf(view, false); }
    std::byte* bytesOut(const View& view) { return bytesOf(view, true); }

    // Starts a kernel behind what was uploaded for it.
    template <class... Parameters, class... Arguments>
    void start(void (*kernel)(Parameters...), const LaunchShape& shape, Arguments&&... arguments) {
        arena().flush();
        launch(kernel, shape, stream(), std::forward<Arguments>(arguments)...);
    }

    // Copies back what is the CPU's, and waits where there is any. Last of every operator.
    void finish();

private:
    struct Staged {
        std::byte* host;
        std::size_t bytes;
        std::byte* device;
        bool isWritten;
    };
    std::byte* bytesOf(const View& view, bool isWritten);

    CudaOps& m_ops;
    std::vector<Staged> m_staged;
};

} // namespace kernels::cuda

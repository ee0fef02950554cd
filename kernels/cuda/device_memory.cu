#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/launch.cuh"

#include <algorithm>

namespace kernels::cuda {

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kLeastChunk = std::size_t{1} << 20;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

} // namespace

OutOfDeviceMemory::OutOfDeviceMemory(std::size_t bytes)
    : m_text(std::make_shared<const std::string>(
          "the CUDA device has no " + std::to_string(bytes >> 20) +
          " MiB left: choose a smaller model, fewer KV blocks or the CPU")) {}

DeviceMemory::DeviceMemory(std::size_t bytes) : m_bytes(bytes) {
    void* data = nullptr;
    const cudaError_t status = cudaMalloc(&data, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError(); // the next call must not report it again
        throw OutOfDeviceMemory(bytes);
    }
    check(status);
    m_data.reset(static_cast<std::byte*>(data));
}

Stream::Stream() {
    check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
}

Stream::~Stream() {
    cudaStreamDestroy(m_stream);
}

void Stream::wait() const {
    check(cudaStreamSynchronize(m_stream));
}

Buffer allocateBuffer(Format format, Shape shape, const Stream& stream) {
    const std::size_t bytes = formatBytes(format, static_cast<std::size_t>(shape.elements()));
    auto memory = std::make_shared<DeviceMemory>(bytes);
    std::byte* data = memory->data();
    check(cudaMemsetAsync(data, 0, bytes, stream.get()));
    stream.wait();
    return Buffer::of(std::move(memory),
                      {.data = data, .format = format, .shape = shape, .device = Device::Cuda});
}

void Arena::Chunks::begin(const Stream& stream) {
    m_used = 0;
    if (m_chunks.size() > 1) {
        std::size_t all = 0;
        for (const DeviceMemory& chunk : m_chunks) {
            all += chunk.bytes();
        }
        stream.wait();
        m_chunks.clear();
        m_chunks.emplace_back(all);
    }
}

bool Arena::Chunks::hasRoom(std::size_t bytes) const {
    return !m_chunks.empty() && m_chunks.back().bytes() - m_used >= aligned(bytes);
}

std::byte* Arena::Chunks::take(std::size_t bytes) {
    const std::size_t needed = aligned(bytes);
    if (!hasRoom(bytes)) {
        m_chunks.emplace_back(std::max(needed, kLeastChunk));
        m_used = 0;
    }
    std::byte* taken = m_chunks.back().data() + m_used;
    m_used += needed;
    return taken;
}

void Arena::begin() {
    m_pending.clear(); // of a call that was interrupted
    m_scratch.begin(m_stream);
    m_lists.begin(m_stream);
}

const std::byte* Arena::addList(const void* data, std::size_t bytes) {
    if (!m_lists.hasRoom(bytes)) {
        flush(); // what comes next lies elsewhere
    }
    std::byte* place = m_lists.take(bytes);
    if (m_pending.empty()) {
        m_pendingPlace = place;
    }
    const auto* first = static_cast<const std::byte*>(data);
    m_pending.insert(m_pending.end(), first, first + bytes);
    m_pending.resize(m_pending.size() + aligned(bytes) - bytes);
    return place;
}

void Arena::flush() {
    copyIn(m_pendingPlace, m_pending.data(), m_pending.size());
    m_pending.clear();
}

void Arena::copyIn(std::byte* to, const void* from, std::size_t bytes) {
    if (bytes > 0) { // from pageable memory: read before the call returns
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, m_stream.get()));
    }
}

} // namespace kernels::cuda

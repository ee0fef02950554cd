// Memory of one CUDA device, its stream, and scratch that grows to what the largest call needed.
// Owned by CudaOps and its weights; one caller thread. Freeing waits for the device.
#pragma once

#include "kernels/tensor.h"

#include <cstddef>
#include <cuda_runtime.h>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace kernels::cuda {

// A std::bad_alloc that says how much was asked for and what helps.
class OutOfDeviceMemory : public std::bad_alloc {
public:
    explicit OutOfDeviceMemory(std::size_t bytes);
    const char* what() const noexcept override { return m_text->c_str(); }

private:
    std::shared_ptr<const std::string> m_text;
};

class DeviceMemory {
public:
    DeviceMemory() = default;
    // Not zeroed. Throws OutOfDeviceMemory.
    explicit DeviceMemory(std::size_t bytes);

    std::byte* data() const { return m_data.get(); }
    std::size_t bytes() const { return m_bytes; }

private:
    struct Free {
        void operator()(std::byte* data) const { cudaFree(data); }
    };
    std::unique_ptr<std::byte, Free> m_data;
    std::size_t m_bytes = 0;
};

class Stream {
public:
    Stream();
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return m_stream; }
    void wait() const;

private:
    cudaStream_t m_stream = nullptr;
};

// A buffer of the device's memory, zeroed. Throws OutOfDeviceMemory.
Buffer allocateBuffer(Format format, Shape shape, const Stream& stream);

// Memory of one call, all of it free again at the next begin(): scratch, and short lists that the
// call makes. Lists are gathered and go to the device in one copy, just before a kernel starts.
class Arena {
public:
    explicit Arena(const Stream& stream) : m_stream(stream) {}

    void begin();
    // 256-byte aligned, not zeroed.
    std::byte* take(std::size_t bytes) { return m_scratch.take(bytes); }
    template <class T>
    T* take(std::size_t count) {
        return reinterpret_cast<T*>(take(count * sizeof(T)));
    }
    // Where a copy will be after the next flush(); `values` may change once this returns.
    template <class T>
    const T* upload(std::span<const T> values) {
        return reinterpret_cast<const T*>(addList(values.data(), values.size_bytes()));
    }
    template <class T>
    const T* upload(const std::vector<T>& values) {
        return upload(std::span<const T>(values));
    }
    void flush();

    // At once.
    void copyIn(std::byte* to, const void* from, std::size_t bytes);

private:
    class Chunks { // one, after a call that needed more than there was
    public:
        void begin(const Stream& stream);
        bool hasRoom(std::size_t bytes) const;
        std::byte* take(std::size_t bytes);

    private:
        std::vector<DeviceMemory> m_chunks;
        std::size_t m_used = 0; // of the last one
    };
    const std::byte* addList(const void* data, std::size_t bytes);

    const Stream& m_stream;
    Chunks m_scratch, m_lists;
    std::vector<std::byte> m_pending; // lists that are not on the device yet, one behind the other
    std::byte* m_pendingPlace = nullptr;
};

} // namespace kernels::cuda

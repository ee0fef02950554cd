// An array on the emulated device, for tests: copied there, copied back, freed.
#pragma once

#include "tests/support/simt/runtime_api.h"

#include <span>
#include <stdexcept>
#include <vector>

namespace simt {

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : m_count(count) {
        require(cudaMalloc(&m_data, count * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        require(
            cudaMemcpy(m_data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~DeviceArray() { cudaFree(m_data); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return m_data; }
    std::vector<T> read() const {
        std::vector<T> values(m_count);
        require(cudaMemcpy(values.data(), m_data, m_count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

private:
    static void require(cudaError_t status) {
        if (status != cudaSuccess) {
            throw std::runtime_error(cudaGetErrorString(status));
        }
    }

    T* m_data = nullptr;
    std::size_t m_count = 0;
};

} // namespace simt

// A weight matrix in a device's memory, in the layout of code_kind.h, whatever layout was asked
// for: a device does not compute on the file's bytes. Made by CudaOps::prepare.
#pragma once

#include "kernels/cuda/code_kind.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/ops.h"

namespace kernels::cuda {

class CudaWeight final : public Weight {
public:
    // Throws std::invalid_argument for what is no weight, OutOfDeviceMemory.
    CudaWeight(const View& fileWeight, ActivationPrecision precision, const Stream& stream,
               ThreadPool& pool);

    std::int64_t rows() const override { return m_rows; }
    std::int64_t columns() const override { return m_columns; }
    Format format() const override { return m_format; }
    std::size_t bytes() const override { return m_memory.bytes(); }
    std::size_t trafficBytes() const override { return m_memory.bytes(); }

    bool isCoded() const { return m_codeKind >= 0; }
    int codeKind() const { return m_codeKind; }
    const WeightCodes& codes() const { return m_codes; }
    NumberKind numberKind() const { return m_numberKind; }
    const WeightNumbers& numbers() const { return m_numbers; }
    int terms() const { return m_precision == ActivationPrecision::Int16 ? 2 : 1; }

private:
    void loadCodes(const View& file, const Stream& stream, ThreadPool& pool);
    void loadNumbers(const View& file, const Stream& stream);

    std::int64_t m_rows;
    std::int64_t m_columns;
    Format m_format;
    ActivationPrecision m_precision;
    int m_codeKind;
    NumberKind m_numberKind = NumberKind::F32;
    DeviceMemory m_memory;
    WeightCodes m_codes;
    WeightNumbers m_numbers;
};

// The weight as this device's. Throws std::invalid_argument for another's.
const CudaWeight& cudaWeight(const Weight& weight);

} // namespace kernels::cuda

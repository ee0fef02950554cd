#include "kernels/reference/reference.h"

#include "kernels/reference/reference_kv.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kernels::reference {

Numbers decode(const View& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    dequantize(view.format, static_cast<const std::byte*>(view.data), values);
    Numbers numbers(values.begin(), values.end());
    for (double& number : numbers) {
        number *= static_cast<double>(view.factor);
    }
    return numbers;
}

Numbers roundActivations(std::span<const double> x, ActivationPrecision precision) {
    constexpr std::size_t kGroup = 32;
    const float steps = precision == ActivationPrecision::Int16 ? 127.0F * 254.0F : 127.0F;
    Numbers rounded(x.size());
    for (std::size_t first = 0; first < x.size(); first += kGroup) {
        float largest = 0.0F;
        for (std::size_t i = first; i < first + kGroup; ++i) {
            largest = std::max(largest, std::abs(static_cast<float>(x[i])));
        }
        for (std::size_t i = first; i < first + kGroup && largest > 0.0F; ++i) {
            const float quotient = static_cast<float>(x[i]) * (steps / largest);
            rounded[i] = static_cast<double>(std::nearbyint(quotient)) *
                         static_cast<double>(largest / steps);
        }
    }
    return rounded;
}

Numbers matmul(std::span<const double> x, std::span<const double> w, std::int64_t columns) {
    const auto k = static_cast<std::size_t>(columns);
    const std::size_t tokens = x.size() / k;
    const std::size_t rows = w.size() / k;
    Numbers out(tokens * rows);
    for (std::size_t t = 0; t < tokens; ++t) {
        for (std::size_t n = 0; n < rows; ++n) {
            double sum = 0.0;
            for (std::size_t i = 0; i < k; ++i) {
                sum += x[t * k + i] * w[n * k + i];
            }
            out[t * rows + n] = sum;
        }
    }
    return out;
}

Numbers rmsNorm(std::span<const double> x, std::span<const double> gain, double eps) {
    const std::size_t length = gain.size();
    Numbers out(x.size());
    for (std::size_t first = 0; first < x.size(); first += length) {
        double squares = 0.0;
        for (std::size_t i = 0; i < length; ++i) {
            squares += x[first + i] * x[first + i];
        }
        const double root = std::sqrt(squares / static_cast<double>(length) + eps);
        for (std::size_t i = 0; i < length; ++i) {
            out[first + i] = gain[i] * x[first + i] / root;
        }
    }
    return out;
}

Numbers siluMul(std::span<const double> gate, std::span<const double> up) {
    Numbers out(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i) {
        out[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
    }
    return out;
}

Numbers geluMul(std::span<const double> gate, std::span<const double> up) {
    constexpr double kRoot = 0.79788456080286535588; // sqrt(2 / pi)
    Numbers out(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i) {
        const double g = gate[i];
        out[i] = 0.5 * g * (1.0 + std::tanh(kRoot * (g + 0.044715 * g * g * g))) * up[i];
    }
    return out;
}

Numbers softCap(std::span<const double> x, double cap) {
    Numbers out;
    for (const double value : x) {
        out.push_back(cap * std::tanh(value / cap));
    }
    return out;
}

Numbers rope(std::span<const double> x, std::int64_t heads, std::int64_t headDim,
             const RopeSpec& rope, std::span<const std::int32_t> positions) {
    const auto dim = static_cast<std::size_t>(headDim);
    const std::size_t pairs = rope.frequencies.size();
    Numbers out(x.begin(), x.end());
    for (std::size_t first = 0; first < x.size(); first += dim) {
        const double position = positions[first / dim / static_cast<std::size_t>(heads)];
        for (std::size_t i = 0; i < pairs; ++i) {
            const bool isInterleaved = rope.pairing == RopePairing::Interleaved;
            const std::size_t begin =
                rope.place == RopePlace::Back ? first + dim - 2 * pairs : first;
            const std::size_t a = begin + (isInterleaved ? 2 * i : i);
            const std::size_t b = isInterleaved ? a + 1 : a + pairs;
            const double angle = position * static_cast<double>(rope.frequencies[i]);
            const double c = std::cos(angle) * static_cast<double>(rope.magnitude);
            const double s = std::sin(angle) * static_cast<double>(rope.magnitude);
            out[a] = x[a] * c - x[b] * s;
            out[b] = x[a] * s + x[b] * c;
        }
    }
    return out;
}

Numbers spread(std::span<const double> x, std::int64_t length, double factor) {
    const auto size = static_cast<std::size_t>(length);
    Numbers out;
    for (std::size_t at = 0; at < x.size(); ++at) {
        double sum = 0.0;
        for (std::size_t j = 0; j < size; ++j) {
            const double value = x[at / size * size + j];
            sum += std::popcount(at % size & j) % 2 == 0 ? value : -value;
        }
        out.push_back(factor * sum);
    }
    return out;
}

Numbers attention(const View& q, const KvLayer& kv, const AttentionBatch& batch,
                  const AttentionRule& rule, std::int64_t valueDim) {
    const Numbers queries = decode(q);
    const bool isChannel = kv.keyCoding == KvCoding::Channel4;
    const Numbers keys = decodeRows(kv.keys, kv.keyCoding, q.shape[2], kv.plainTail);
    const Numbers recent = isChannel ? decode(kv.recent) : Numbers();
    const bool hasValues = kv.values.data != nullptr;
    const Numbers values = hasValues ? decodeRows(kv.values, kv.valueCoding, valueDim, 0) : keys;
    const std::int64_t heads = q.shape[1];
    const std::int64_t dim = q.shape[2];
    const std::int64_t valueRow = hasValues ? valueDim : dim;
    const std::int64_t kvHeads = kv.keys.shape[1];
    const std::int64_t blockTokens = kv.blockTokens();
    Numbers out(static_cast<std::size_t>(q.shape[0] * heads * valueDim));
    const auto scoreOf = [&](const double* query, const Numbers& rows, std::int64_t row) {
        double score = 0.0;
        for (std::int64_t d = 0; d < dim; ++d) {
            score += query[d] * rows[static_cast<std::size_t>(row * dim + d)];
        }
        score *= static_cast<double>(rule.scale);
        const auto cap = static_cast<double>(rule.scoreCap);
        return cap > 0.0 ? cap * std::tanh(score / cap) : score;
    };
    const auto attendRow = [&](const AttentionSlice& slice, std::int64_t token, std::int64_t head) {
        const std::int64_t kvHead = head / (heads / kvHeads);
        const double* query = queries.data() + ((slice.firstRow + token) * heads + head) * dim;
        const std::int64_t own = slice.firstPosition + token;
        std::vector<std::int64_t> rows; // of keys and values
        Numbers scores;
        for (std::int32_t b = slice.firstBlock; b < slice.firstBlock + slice.blockCount; ++b) {
            const BlockRef& block = batch.blocks[static_cast<std::size_t>(b)];
            for (std::int64_t i = 0; i < blockTokens; ++i) {
                const std::int64_t position = block.firstPosition + i;
                const bool isChosen =
                    block.tokens == kAllTokens || (block.tokens >> token & 1U) != 0;
                if (!isChosen || position > own ||
                    (rule.window != 0 && own - position >= rule.window)) {
                    continue;
                }
                rows.push_back((block.block * kvHeads + kvHead) * blockTokens + i);
                if (isChannel && position >= kvRecentBegin(own)) {
                    const std::int64_t place = batch.recent[static_cast<std::size_t>(b)].block;
                    scores.push_back(
                        scoreOf(query, recent, (place * kvHeads + kvHead) * blockTokens + i));
                } else {
                    scores.push_back(scoreOf(query, keys, rows.back()));
                }
            }
        }
        const double largest =
            scores.empty() ? 0.0 : *std::max_element(scores.begin(), scores.end());
        double total = 0.0;
        for (double& score : scores) {
            score = std::exp(score - largest);
            total += score;
        }
        double* sums = out.data() + ((slice.firstRow + token) * heads + head) * valueDim;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::int64_t d = 0; d < valueDim; ++d) {
                sums[d] +=
                    scores[i] / total * values[static_cast<std::size_t>(rows[i] * valueRow + d)];
            }
        }
    };
    for (const AttentionSlice& slice : batch.slices) {
        for (std::int64_t token = 0; token < slice.tokens; ++token) {
            for (std::int64_t head = 0; head < heads; ++head) {
                attendRow(slice, token, head);
            }
        }
    }
    return out;
}

} // namespace kernels::reference

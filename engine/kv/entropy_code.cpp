#include "engine/kv/entropy_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace engine {

namespace {

constexpr int kMostSymbols = 256;
constexpr int kGroup = 32;     // of differences that share a width
constexpr int kTotalBits = 12; // frequencies add up to 4096
constexpr std::uint32_t kTotal = 1U << kTotalBits;
constexpr std::uint32_t kLowest = 1U << 16U; // of a state between two symbols
constexpr int kStates = 4;

using Counts = std::array<std::uint32_t, kMostSymbols>;

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}

// The front of what is read; `isWhole` stays false once something was missing.
class Reader {
public:
    explicit Reader(std::span<const std::byte> in) : m_in(in) {}
    template <class T>
    T take() {
        T value{};
        if (m_in.size() < sizeof value) {
            m_isWhole = false;
            return value;
        }
        std::memcpy(&value, m_in.data(), sizeof value);
        m_in = m_in.subspan(sizeof value);
        return value;
    }
    std::span<const std::byte> take(std::size_t bytes) {
        if (m_in.size() < bytes) {
            m_isWhole = false;
            return {};
        }
        const auto taken = m_in.first(bytes);
        m_in = m_in.subspan(bytes);
        return taken;
    }
    bool isWhole() const { return m_isWhole; }
    std::span<const std::byte> rest() const {
        return m_isWhole ? m_in : std::span<const std::byte>{};
    }

private:
    std::span<const std::byte> m_in;
    bool m_isWhole = true;
};

std::size_t plainBytes(std::size_t symbols, int bits) {
    return bits == 4 ? (symbols + 1) / 2 : symbols;
}

void packPlain(std::span<const std::uint8_t> symbols, int bits, std::vector<std::byte>& out) {
    const std::size_t at = out.size();
    out.resize(at + plainBytes(symbols.size(), bits));
    if (bits == 8) {
        std::memcpy(out.data() + at, symbols.data(), symbols.size());
        return;
    }
    for (std::size_t i = 0; i < symbols.size(); i += 2) {
        const int high = i + 1 < symbols.size() ? symbols[i + 1] : 0;
        out[at + i / 2] = static_cast<std::byte>(symbols[i] | high << 4);
    }
}

bool unpackPlain(std::span<const std::byte> in, int bits, std::span<std::uint8_t> symbols) {
    if (in.size() != plainBytes(symbols.size(), bits)) {
        return false;
    }
    if (bits == 8) {
        std::memcpy(symbols.data(), in.data(), symbols.size());
        return true;
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto both = static_cast<std::uint8_t>(in[i / 2]);
        symbols[i] = i % 2 == 0 ? both & 15U : both >> 4U;
    }
    return true;
}

// The difference to the symbol before, small ones of either sign first.
std::uint8_t zigZag(std::uint8_t now, std::uint8_t before, int bits) {
    const int half = 1 << (bits - 1);
    const int mask = 2 * half - 1;
    const int signedDifference = ((now - before + half) & mask) - half;
    return static_cast<std::uint8_t>(signedDifference >= 0 ? 2 * signedDifference
                                                           : -2 * signedDifference - 1);
}

std::uint8_t fromZigZag(std::uint8_t code, std::uint8_t before, int bits) {
    const int difference = (code & 1) == 0 ? code / 2 : -(code / 2) - 1;
    return static_cast<std::uint8_t>((before + difference) & ((1 << bits) - 1));
}

// The widest code of each group.
std::vector<std::uint8_t> widthsOf(std::span<const std::uint8_t> codes) {
    std::vector<std::uint8_t> widths((codes.size() + kGroup - 1) / kGroup, 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        std::uint8_t& width = widths[i / kGroup];
        width = std::max(width, static_cast<std::uint8_t>(std::bit_width(codes[i])));
    }
    return widths;
}

// With four bits for a width of 0 to 8.
std::size_t groupBytes(std::span<const std::uint8_t> widths) {
    std::size_t bytes = plainBytes(widths.size(), 4);
    for (const std::uint8_t width : widths) {
        bytes += std::size_t{width} * kGroup / 8;
    }
    return bytes;
}

void packGroups(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> widths,
                std::vector<std::byte>& out) {
    packPlain(widths, 4, out);
    for (std::size_t group = 0; group < widths.size(); ++group) {
        std::uint64_t waiting = 0;
        unsigned held = 0;
        for (std::size_t i = group * kGroup; i < (group + 1) * kGroup; ++i) {
            waiting |= (i < codes.size() ? std::uint64_t{codes[i]} : 0) << held;
            held += widths[group];
            for (; held >= 8; held -= 8, waiting >>= 8U) {
                out.push_back(static_cast<std::byte>(waiting & 0xFFU));
            }
        }
    }
}

bool unpackGroups(Reader& reader, std::span<std::uint8_t> codes) {
    std::vector<std::uint8_t> widths((codes.size() + kGroup - 1) / kGroup);
    if (!unpackPlain(reader.take(plainBytes(widths.size(), 4)), 4, widths)) {
        return false;
    }
    for (std::size_t group = 0; group < widths.size(); ++group) {
        const unsigned width = widths[group];
        const auto in = reader.take(std::size_t{width} * kGroup / 8);
        if (!reader.isWhole() || width > 8) {
            return false;
        }
        std::uint64_t waiting = 0;
        unsigned held = 0;
        std::size_t next = 0;
        const std::size_t end = std::min(codes.size(), (group + 1) * kGroup);
        for (std::size_t i = group * kGroup; i < end; ++i) {
            for (; held < width; held += 8) {
                waiting |= static_cast<std::uint64_t>(in[next++]) << held;
            }
            codes[i] = static_cast<std::uint8_t>(waiting & ((1U << width) - 1U));
            waiting >>= width;
            held -= width;
        }
    }
    return true;
}

// Frequencies that add up to kTotal, none of a symbol that occurs below one.
Counts scaled(const Counts& counts, std::size_t symbols) {
    Counts result{};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            const std::uint64_t share =
                std::uint64_t{counts[i]} * kTotal / static_cast<std::uint64_t>(symbols);
            result[i] = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share));
            sum += result[i];
        }
    }
    while (sum != kTotal) { // the most frequent bear what rounding left
        std::uint32_t& most = *std::ranges::max_element(result);
        if (sum < kTotal) {
            most += kTotal - sum;
            sum = kTotal;
        } else { // above one: no more than 256 symbols share 4096
            const std::uint32_t less = std::min(sum - kTotal, (most + 1) / 2);
            most -= less;
            sum -= less;
        }
    }
    return result;
}

// Of the table: a bit for every symbol, and two bytes for each that occurs.
std::size_t tableBytes(const Counts& frequencies, int bits) {
    const auto used = std::ranges::count_if(frequencies, [](auto f) { return f > 0; });
    return static_cast<std::size_t>((1 << bits) / 8 + 2 * used);
}

double frequencyBytes(const Counts& counts, const Counts& frequencies, int bits) {
    double all = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            all += counts[i] * (kTotalBits - std::log2(static_cast<double>(frequencies[i])));
        }
    }
    return all / 8.0 + static_cast<double>(tableBytes(frequencies, bits)) + 4.0 * (kStates + 1);
}

void packFrequencies(std::span<const std::uint8_t> symbols, int bits, const Counts& frequencies,
                     std::vector<std::byte>& out) {
    for (int first = 0; first < (1 << bits); first += 8) {
        unsigned present = 0;
        for (int i = 0; i < 8; ++i) {
            present |= frequencies[static_cast<std::size_t>(first + i)] > 0 ? 1U << i : 0U;
        }
        out.push_back(static_cast<std::byte>(present));
    }
    Counts starts{};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        starts[i] = sum;
        sum += frequencies[i];
        if (frequencies[i] > 0) {
            append(out, static_cast<std::uint16_t>(frequencies[i]));
        }
    }
    // From the end, as the reader undoes it from the front.
    std::array<std::uint32_t, kStates> states;
    states.fill(kLowest);
    std::vector<std::uint16_t> words;
    words.reserve(symbols.size());
    for (std::size_t i = symbols.size(); i-- > 0;) {
        std::uint32_t& state = states[i % kStates];
        const std::uint32_t frequency = frequencies[symbols[i]];
        if (std::uint64_t{state} >= std::uint64_t{frequency} << (32U - kTotalBits)) {
            words.push_back(static_cast<std::uint16_t>(state & 0xFFFFU));
            state >>= 16U;
        }
        state = (state / frequency << kTotalBits) + state % frequency + starts[symbols[i]];
    }
    append(out, static_cast<std::uint32_t>(words.size()));
    for (const std::uint32_t state : states) {
        append(out, state);
    }
    std::ranges::reverse(words);
    const std::size_t at = out.size();
    out.resize(at + 2 * words.size());
    std::memcpy(out.data() + at, words.data(), 2 * words.size());
}

struct Slot { // of the 4096
    std::uint8_t symbol;
    std::uint16_t frequency;
    std::uint16_t offset; // behind the symbol's first one
};

bool readTable(Reader& reader, int bits, std::vector<Slot>& slots) {
    const auto present = reader.take(static_cast<std::size_t>((1 << bits) / 8));
    if (!reader.isWhole()) {
        return false;
    }
    slots.clear();
    slots.reserve(kTotal);
    for (int symbol = 0; symbol < (1 << bits); ++symbol) {
        if (((static_cast<unsigned>(present[static_cast<std::size_t>(symbol / 8)]) >>
              static_cast<unsigned>(symbol % 8)) &
             1U) == 0) {
            continue;
        }
        const auto frequency = reader.take<std::uint16_t>();
        if (!reader.isWhole() || frequency == 0 || slots.size() + frequency > kTotal) {
            return false;
        }
        for (std::uint16_t i = 0; i < frequency; ++i) {
            slots.push_back(
                {.symbol = static_cast<std::uint8_t>(symbol), .frequency = frequency, .offset = i});
        }
    }
    return slots.size() == kTotal;
}

bool unpackFrequencies(Reader& reader, int bits, std::span<std::uint8_t> symbols) {
    std::vector<Slot> slots;
    if (!readTable(reader, bits, slots)) {
        return false;
    }
    const auto words = std::size_t{reader.take<std::uint32_t>()};
    std::array<std::uint32_t, kStates> states{};
    for (std::uint32_t& state : states) {
        state = reader.take<std::uint32_t>();
    }
    const auto in = reader.take(2 * words);
    if (!reader.isWhole()) {
        return false;
    }
    const std::byte* next = in.data();
    const std::byte* const end = next + in.size();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        std::uint32_t& state = states[i % kStates];
        const Slot& slot = slots[state & (kTotal - 1)];
        symbols[i] = slot.symbol;
        state = slot.frequency * (state >> kTotalBits) + slot.offset;
        if (state < kLowest) {
            if (next == end) {
                return false;
            }
            std::uint16_t word = 0;
            std::memcpy(&word, next, sizeof word);
            next += sizeof word;
            state = state << 16U | word;
        }
    }
    return next == end &&
           std::ranges::all_of(states, [](std::uint32_t state) { return state == kLowest; });
}

void toDifferences(std::span<const std::uint8_t> symbols, int bits, std::span<std::uint8_t> codes) {
    std::uint8_t before = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        codes[i] = zigZag(symbols[i], before, bits);
        before = symbols[i];
    }
}

void fromDifferences(int bits, std::span<std::uint8_t> symbols) {
    std::uint8_t before = 0;
    for (std::uint8_t& symbol : symbols) {
        before = symbol = fromZigZag(symbol, before, bits);
    }
}

Counts countsOf(std::span<const std::uint8_t> symbols) {
    Counts counts{};
    for (const std::uint8_t symbol : symbols) {
        ++counts[symbol];
    }
    return counts;
}

} // namespace

void packRun(std::span<const std::uint8_t> symbols, int bits, std::vector<std::byte>& out) {
    if (symbols.empty()) {
        return;
    }
    const Counts counts = countsOf(symbols);
    const auto begin = [&out](RunCode code) { out.push_back(static_cast<std::byte>(code)); };
    if (counts[symbols[0]] == symbols.size()) {
        begin(RunCode::Constant);
        out.push_back(static_cast<std::byte>(symbols[0]));
        return;
    }
    std::vector<std::uint8_t> differences(symbols.size());
    toDifferences(symbols, bits, differences);
    const Counts differenceCounts = countsOf(differences);
    const Counts frequencies = scaled(counts, symbols.size());
    const Counts ofDifferences = scaled(differenceCounts, symbols.size());
    const std::vector<std::uint8_t> widths = widthsOf(differences);
    const std::array<double, 4> sizes = {static_cast<double>(plainBytes(symbols.size(), bits)),
                                         static_cast<double>(groupBytes(widths)),
                                         frequencyBytes(counts, frequencies, bits),
                                         frequencyBytes(differenceCounts, ofDifferences, bits)};
    switch (std::ranges::min_element(sizes) - sizes.begin()) {
    case 0:
        begin(RunCode::Plain);
        packPlain(symbols, bits, out);
        break;
    case 1:
        begin(RunCode::Differences);
        packGroups(differences, widths, out);
        break;
    case 2:
        begin(RunCode::Frequencies);
        packFrequencies(symbols, bits, frequencies, out);
        break;
    default:
        begin(RunCode::DifferenceFrequencies);
        packFrequencies(differences, bits, ofDifferences, out);
        break;
    }
}

std::optional<std::span<const std::byte>> unpackRun(std::span<const std::byte> in, int bits,
                                                    std::span<std::uint8_t> symbols) {
    if (symbols.empty()) {
        return in;
    }
    Reader reader(in);
    bool isRun = true;
    const auto code = static_cast<RunCode>(reader.take<std::uint8_t>());
    if (code == RunCode::Constant) {
        std::ranges::fill(symbols, reader.take<std::uint8_t>());
    } else if (code == RunCode::Plain) {
        isRun = unpackPlain(reader.take(plainBytes(symbols.size(), bits)), bits, symbols);
    } else if (code == RunCode::Differences) {
        isRun = unpackGroups(reader, symbols);
    } else if (code == RunCode::Frequencies || code == RunCode::DifferenceFrequencies) {
        isRun = unpackFrequencies(reader, bits, symbols);
    } else {
        isRun = false;
    }
    if (!isRun || !reader.isWhole()) {
        return std::nullopt;
    }
    if (code == RunCode::Differences || code == RunCode::DifferenceFrequencies) {
        fromDifferences(bits, symbols);
    }
    return reader.rest();
}

} // namespace engine

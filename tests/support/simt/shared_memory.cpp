#include "tests/support/simt/shared_memory.h"

#include "tests/support/simt/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simt {

namespace {

constexpr unsigned char kRedzone = 0xFB;

SharedProblem race(const char* what, unsigned other, const void* otherSite) {
    return {SharedProblem::Kind::Race,
            fmt::format("{} thread {} {} in the same interval between barriers", what, other,
                        otherSite == nullptr ? std::string() : "at " + describeAddress(otherSite))};
}

} // namespace

void WarpOrder::reset() {
    m_now = 1;
    std::memset(m_known, 0, sizeof m_known);
}

void WarpOrder::meet(std::uint32_t mask) {
    std::uint32_t known[32] = {};
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) == 0) {
            continue;
        }
        for (unsigned other = 0; other < 32; ++other) {
            known[other] = std::max(known[other], m_known[lane][other]);
        }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            known[lane] = m_now;
        }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0) {
            std::memcpy(m_known[lane], known, sizeof known);
        }
    }
    ++m_now;
}

SharedMemory::SharedMemory() : m_memory(new std::byte[kCapacity]) {}

void SharedMemory::beginBlock() {
    m_used = kRedzoneBytes;
    m_count = 0;
    m_shadow.clear();
    std::memset(m_memory.get(), kRedzone, kRedzoneBytes);
}

SharedArray* SharedMemory::carve(std::size_t index, std::size_t elementBytes, std::size_t count) {
    if (index < m_count) {
        SharedArray* array = m_arrays[index].get();
        return array->elementBytes == elementBytes && array->bytes == elementBytes * count
                   ? array
                   : nullptr;
    }
    const std::size_t bytes = elementBytes * count;
    const std::size_t end = (m_used + bytes + kRedzoneBytes + 15) / 16 * 16;
    if (index != m_count || end > kCapacity) {
        return nullptr;
    }
    if (m_arrays.size() == m_count) {
        m_arrays.push_back(std::make_unique<SharedArray>());
    }
    SharedArray& array = *m_arrays[m_count++];
    array = {.data = m_memory.get() + m_used,
             .bytes = bytes,
             .elementBytes = elementBytes,
             .granule = std::min<std::size_t>(4, elementBytes & (~elementBytes + 1)),
             .firstShadow = m_shadow.size()};
    m_shadow.resize(m_shadow.size() + (bytes + array.granule - 1) / array.granule);
    std::memset(array.data, kPoison, bytes);
    std::memset(array.data + bytes, kRedzone, end - m_used - bytes);
    m_used = end;
    return &array;
}

bool SharedMemory::isOrdered(const Accessor& who, unsigned other, std::uint32_t when) {
    return who.thread / 32 == other / 32 && who.warp->isBefore(who.thread % 32, other % 32, when);
}

std::optional<SharedProblem> SharedMemory::checkRead(const Shadow& shadow,
                                                     const Accessor& who) const {
    if (shadow.isPending) {
        return SharedProblem{SharedProblem::Kind::Pending,
                             "reads where an asynchronous copy has not been waited for"};
    }
    if (!shadow.isWritten) {
        return SharedProblem{SharedProblem::Kind::Uninitialised,
                             "reads what nobody has written in this block"};
    }
    if (shadow.writeEpoch == who.epoch &&
        (shadow.hasManyAtomics ||
         (shadow.writer != who.thread && !isOrdered(who, shadow.writer, shadow.writeTime)))) {
        return race("reads what was written by", shadow.writer, shadow.writeSite);
    }
    return std::nullopt;
}

std::optional<SharedProblem> SharedMemory::checkWrite(const Shadow& shadow, Access kind,
                                                      const Accessor& who) const {
    const bool bothAtomic = kind == Access::Atomic && shadow.hasAtomics;
    if (shadow.isWritten && shadow.writeEpoch == who.epoch && !bothAtomic &&
        (shadow.hasManyAtomics ||
         (shadow.writer != who.thread && !isOrdered(who, shadow.writer, shadow.writeTime)))) {
        return race("writes where also wrote", shadow.writer, shadow.writeSite);
    }
    if (shadow.readEpoch != who.epoch) {
        return std::nullopt;
    }
    if (shadow.hasManyWarps || (shadow.readers != 0 && shadow.readWarp != who.thread / 32)) {
        return race("writes what was read by a thread of another warp, of warp of",
                    shadow.readWarp * 32U, shadow.readSite);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned reader = shadow.readWarp * 32U + lane;
        if ((shadow.readers >> lane & 1U) != 0 && reader != who.thread &&
            !isOrdered(who, reader, shadow.readTime)) {
            return race("writes what was read by", reader, shadow.readSite);
        }
    }
    return std::nullopt;
}

void SharedMemory::noteRead(Shadow& shadow, const Accessor& who) {
    const auto warp = static_cast<std::uint16_t>(who.thread / 32);
    if (shadow.readEpoch != who.epoch) {
        shadow.readEpoch = who.epoch;
        shadow.readers = 0;
        shadow.readWarp = warp;
        shadow.hasManyWarps = false;
    }
    shadow.hasManyWarps = shadow.hasManyWarps || shadow.readWarp != warp;
    shadow.readers |= 1U << (who.thread % 32);
    // One time for all readers: never too early, so no race is missed.
    shadow.readTime = who.warp->now();
    shadow.readSite = who.site;
}

void SharedMemory::noteWrite(Shadow& shadow, Access kind, const Accessor& who) {
    const bool isAtomic = kind == Access::Atomic;
    const bool follows = shadow.isWritten && shadow.writeEpoch == who.epoch && shadow.hasAtomics;
    shadow.hasManyAtomics =
        isAtomic && follows && (shadow.hasManyAtomics || shadow.writer != who.thread);
    shadow.hasAtomics = isAtomic;
    shadow.isWritten = true;
    shadow.isPending = false;
    shadow.writer = static_cast<std::uint16_t>(who.thread);
    shadow.writeEpoch = who.epoch;
    shadow.writeTime = who.warp->now();
    shadow.writeSite = who.site;
    if (!isAtomic) {
        shadow.readEpoch = 0;
        shadow.readers = 0;
        shadow.hasManyWarps = false;
    }
}

std::optional<SharedProblem> SharedMemory::access(const SharedArray& array, std::int64_t offset,
                                                  std::size_t bytes, Access kind,
                                                  const Accessor& who) {
    if (offset < 0 || static_cast<std::size_t>(offset) + bytes > array.bytes) {
        return SharedProblem{
            SharedProblem::Kind::Bounds,
            fmt::format("{} bytes {} to {} of a shared array of {} bytes ({} elements of {})",
                        kind == Access::Read ? "reads" : "writes", offset,
                        offset + static_cast<std::int64_t>(bytes), array.bytes,
                        array.bytes / array.elementBytes, array.elementBytes)};
    }
    const auto first = static_cast<std::size_t>(offset);
    const std::size_t begin = array.firstShadow + first / array.granule;
    const std::size_t end = array.firstShadow + (first + bytes - 1) / array.granule + 1;
    for (std::size_t i = begin; i < end; ++i) {
        Shadow& shadow = m_shadow[i];
        if (kind == Access::Read) {
            if (array.isTracked) {
                if (auto problem = checkRead(shadow, who)) {
                    return problem;
                }
            }
            noteRead(shadow, who);
            continue;
        }
        if (kind == Access::Atomic && array.isTracked && !shadow.isWritten) {
            return checkRead(shadow, who);
        }
        if (auto problem = checkWrite(shadow, kind, who)) {
            return problem;
        }
        noteWrite(shadow, kind, who);
    }
    return std::nullopt;
}

void SharedMemory::markPending(const SharedArray& array, std::size_t offset, std::size_t bytes) {
    std::memset(array.data + offset, kPoison, bytes);
    for (std::size_t i = offset / array.granule; i < (offset + bytes) / array.granule; ++i) {
        m_shadow[array.firstShadow + i].isPending = true;
    }
}

const SharedArray* SharedMemory::brokenRedzone() const {
    for (std::size_t i = 0; i < m_count; ++i) {
        const SharedArray& array = *m_arrays[i];
        for (std::size_t k = 0; k < kRedzoneBytes; ++k) {
            const bool isBehind = array.data[array.bytes + k] != std::byte{kRedzone};
            const bool isBefore = i == 0 && m_memory[k] != std::byte{kRedzone};
            if (isBehind || isBefore) {
                return &array;
            }
        }
    }
    return nullptr;
}

} // namespace simt

#include "tests/support/simt/executor.h"

#include "tests/support/simt/device_builtins.h"
#include "tests/support/simt/fault_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <numeric>

constinit thread_local uint3 threadIdx{}, blockIdx{};
constinit thread_local dim3 blockDim, gridDim;

namespace simt {

constinit thread_local Lane* runningLane = nullptr;

Lane& lane() {
    if (runningLane == nullptr) {
        throw Finding(FindingKind::Runtime, "device code was called on the host");
    }
    return *runningLane;
}

Executor::Executor(Arena& arena) : m_arena(arena), m_fibers(&Executor::runBody, this) {}
Executor::~Executor() = default;

// --- launches and blocks ---

void Executor::run(const KernelLaunch& launch, Schedule schedule, std::uint64_t seed) {
    m_launch = &launch;
    m_schedule = schedule;
    m_random.seed(seed);
    m_pending.reset();
    const FaultHandler handler;
    m_count = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
    m_fibers.prepare(m_count);
    while (m_lanes.size() < m_count) {
        m_lanes.push_back(std::make_unique<Lane>());
    }
    m_warps.resize((m_count + 31) / 32);

    std::vector<std::size_t> blocks(std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z);
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    if (schedule == Schedule::Reverse) {
        std::reverse(blocks.begin(), blocks.end());
    } else if (schedule == Schedule::Random) {
        std::shuffle(blocks.begin(), blocks.end(), m_random);
    }
    for (const std::size_t n : blocks) {
        const std::size_t inPlane = std::size_t{launch.grid.x} * launch.grid.y;
        runBlock(launch, {static_cast<unsigned>(n % launch.grid.x),
                          static_cast<unsigned>(n % inPlane / launch.grid.x),
                          static_cast<unsigned>(n / inPlane)});
    }
    m_arena.closeAll();
}

void Executor::beginBlock(const KernelLaunch& launch, uint3 block) {
    blockIdx = block;
    blockDim = launch.block;
    gridDim = launch.grid;
    m_shared.beginBlock();
    m_done = 0;
    m_waiting = 0;
    m_arriving = 0;
    m_epoch = 1;
    m_cursor = m_schedule == Schedule::Reverse ? m_count - 1 : 0;
    m_favoured = m_random() % m_warps.size();
    m_ready.assign((m_count + 63) / 64, 0);
    for (Warp& warp : m_warps) {
        warp.order.reset();
        warp.inCollective = 0;
        warp.done = 0;
    }
    if (m_count % 32 != 0) { // lanes that the last warp does not have
        m_warps.back().done = ~0U << m_count % 32;
    }
    for (std::size_t i = 0; i < m_count; ++i) {
        Lane& lane = *m_lanes[i];
        const auto n = static_cast<unsigned>(i);
        lane.thread = {n % launch.block.x, n / launch.block.x % launch.block.y,
                       n / (launch.block.x * launch.block.y)};
        lane.block = block;
        lane.executor = this;
        lane.index = n;
        lane.state = Lane::State::Ready;
        lane.committedGroups = 0;
        lane.copies.clear();
        setReady(i, true);
    }
}

void Executor::runBlock(const KernelLaunch& launch, uint3 block) {
    beginBlock(launch, block);
    while (m_done < m_count) {
        const auto next = chooseNext();
        if (!next) {
            throwDeadlock();
        }
        runLane(*next);
        if (m_pending) {
            throwFinding();
        }
    }
    if (m_shared.brokenRedzone() != nullptr) {
        m_pending = {FindingKind::Redzone, "bytes beside a shared array were written",
                     m_lanes[0].get()};
        throwFinding();
    }
    if (const std::string damage = m_arena.damage(); !damage.empty()) {
        m_pending = {FindingKind::Redzone, damage, m_lanes[0].get()};
        throwFinding();
    }
}

void Executor::runLane(std::size_t index) {
    runningLane = m_lanes[index].get();
    threadIdx = runningLane->thread;
    m_fibers.resume(index);
    runningLane = nullptr;
}

void Executor::runBody(void* executor, std::size_t index) {
    auto* self = static_cast<Executor*>(executor);
    Lane& lane = *self->m_lanes[index];
    try {
        self->m_launch->body();
    } catch (const std::exception& exception) {
        self->m_pending = {FindingKind::Trap, std::string("a kernel threw: ") + exception.what(),
                           &lane};
        return;
    }
    self->checkCopies(lane);
    self->endLane(lane);
}

void Executor::endLane(Lane& lane) {
    lane.state = Lane::State::Done;
    setReady(lane.index, false);
    m_warps[lane.index / 32].done |= 1U << lane.index % 32;
    ++m_done;
    if (m_waiting > 0) {
        const auto waiting = std::find_if(m_lanes.begin(), m_lanes.end(), [](const auto& other) {
            return other->state == Lane::State::AtBarrier;
        });
        std::string what =
            fmt::format("the thread ended while thread {} waits for it at the barrier of {}",
                        (*waiting)->index, describe((*waiting)->site));
        fail(FindingKind::EarlyExit, std::move(what), nullptr);
    }
    // Lanes that ended don't count in collectives that others wait in.
    const unsigned warp = lane.index / 32;
    for (std::size_t i = warp * 32; i < std::min<std::size_t>(m_count, warp * 32 + 32); ++i) {
        if (m_lanes[i]->state == Lane::State::InCollective) { // completing one may free others
            tryComplete(warp, m_lanes[i]->mask);
        }
    }
}

// --- whose turn it is ---

void Executor::setReady(std::size_t index, bool isReady) {
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    m_ready[index / 64] = isReady ? m_ready[index / 64] | bit : m_ready[index / 64] & ~bit;
}

std::optional<std::size_t> Executor::firstReadyFrom(std::size_t index) const {
    for (std::size_t word = index / 64; word < m_ready.size(); ++word) {
        const std::uint64_t bits =
            word == index / 64 ? m_ready[word] >> index % 64 << index % 64 : m_ready[word];
        if (bits != 0) {
            return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> Executor::lastReadyUpTo(std::size_t index) const {
    for (std::size_t word = index / 64 + 1; word-- > 0;) {
        const unsigned unused = word == index / 64 ? 63 - index % 64 : 0;
        const std::uint64_t bits = m_ready[word] << unused >> unused;
        if (bits != 0) {
            return word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> Executor::chooseNext() {
    std::optional<std::size_t> next;
    if (m_schedule == Schedule::Reverse) {
        next = lastReadyUpTo(m_cursor);
        next = next ? next : lastReadyUpTo(m_count - 1);
        m_cursor = next && *next > 0 ? *next - 1 : m_count - 1;
        return next;
    }
    if (m_schedule == Schedule::Random) {
        m_cursor = m_random() % m_count;
    } else if (m_schedule == Schedule::WarpAhead) {
        next = firstReadyFrom(m_favoured * 32);
        if (next && *next / 32 == m_favoured) {
            return next;
        }
    }
    next = firstReadyFrom(m_cursor);
    next = next ? next : firstReadyFrom(0);
    m_cursor = next && *next + 1 < m_count ? *next + 1 : 0;
    return next;
}

// --- barriers ---

void Executor::barrier(Lane& lane, int predicate, const Site& site) {
    if (m_done > 0) {
        std::string what =
            fmt::format("the thread waits at the barrier of {}, but {} threads of its block have "
                        "ended",
                        describe(site), m_done);
        fail(FindingKind::EarlyExit, std::move(what), nullptr);
    }
    lane.state = Lane::State::AtBarrier;
    lane.site = site;
    setReady(lane.index, false);
    m_arriving += predicate != 0 ? 1 : 0;
    if (++m_waiting == m_count) {
        for (std::size_t i = 0; i < m_count; ++i) {
            const Lane& other = *m_lanes[i];
            if (!isSame(other.site, site)) {
                std::string what =
                    fmt::format("the thread waits at the barrier of {}, thread {} at that of {}",
                                describe(site), other.index, describe(other.site));
                fail(FindingKind::DivergentBarrier, std::move(what), nullptr);
            }
        }
        releaseBarrier();
        return;
    }
    m_fibers.yield();
}

void Executor::releaseBarrier() {
    ++m_epoch;
    m_waiting = 0;
    m_predicates = m_arriving;
    m_arriving = 0;
    for (std::size_t i = 0; i < m_count; ++i) {
        m_lanes[i]->state = Lane::State::Ready;
        setReady(i, true);
    }
}

// --- warps ---

void Executor::collective(Lane& lane, const Collective& collective, std::uint32_t mask,
                          void* payload, const Site& site) {
    if ((mask >> (lane.index % 32) & 1U) == 0) {
        std::string what =
            fmt::format("{} at {} with mask {:#010x}, which does not hold the caller's own lane {}",
                        collective.name, describe(site), mask, lane.index % 32);
        fail(FindingKind::WarpMask, std::move(what), nullptr);
    }
    lane.state = Lane::State::InCollective;
    lane.collective = &collective;
    lane.mask = mask;
    lane.payload = payload;
    lane.site = site;
    setReady(lane.index, false);
    m_warps[lane.index / 32].inCollective |= 1U << lane.index % 32;
    tryComplete(lane.index / 32, mask);
    if (lane.state == Lane::State::InCollective) {
        m_fibers.yield();
    }
}

void Executor::tryComplete(unsigned warp, std::uint32_t mask) {
    Warp& state = m_warps[warp];
    const std::uint32_t present = mask & ~state.done;
    if (present == 0 || (present & ~state.inCollective) != 0) {
        return; // the others may still come
    }
    void* payloads[32] = {};
    const Lane* first = nullptr;
    for (unsigned i = 0; i < 32; ++i) {
        if ((present >> i & 1U) == 0) {
            continue;
        }
        Lane& other = *m_lanes[warp * 32 + i];
        first = first == nullptr ? &other : first;
        const bool isTogether = other.collective == first->collective && other.mask == mask &&
                                isSame(other.site, first->site);
        if (!isTogether) {
            std::string what = fmt::format(
                "lanes {} and {} of warp {} don't call the same thing together: {} "
                "with mask {:#010x} at {}; {} with mask {:#010x} at {}",
                first->index % 32, i, warp, first->collective->name, first->mask,
                describe(first->site), other.collective->name, other.mask, describe(other.site));
            fail(FindingKind::WarpMask, std::move(what), nullptr);
        }
        payloads[i] = other.payload;
    }
    const Collective& collective = *first->collective;
    if (collective.complete != nullptr) {
        collective.complete(payloads, present);
    }
    if (collective.isOrdering) {
        state.order.meet(present);
    }
    state.inCollective &= ~present;
    for (unsigned i = 0; i < 32; ++i) {
        if ((present >> i & 1U) != 0) {
            m_lanes[warp * 32 + i]->state = Lane::State::Ready;
            setReady(warp * 32 + i, true);
        }
    }
}

// --- shared memory ---

SharedArray* Executor::carve(std::size_t index, std::size_t elementBytes, std::size_t count,
                             std::size_t endBytes, const void* site) {
    if (endBytes > m_launch->sharedBytes) {
        std::string what =
            fmt::format("{} bytes of shared memory are carved, the launch asked for {}", endBytes,
                        m_launch->sharedBytes);
        fail(FindingKind::Carving, std::move(what), site);
    }
    SharedArray* array = m_shared.carve(index, elementBytes, count);
    if (array == nullptr) {
        std::string what =
            fmt::format("shared array {} is not the same for all threads of the block", index);
        fail(FindingKind::Carving, std::move(what), site);
    }
    return array;
}

void Executor::access(const SharedArray* array, std::int64_t offset, std::size_t bytes, Access kind,
                      std::size_t alignment, const void* site) {
    if (array == nullptr) {
        fail(FindingKind::SharedBounds, "uses a shared array that was never carved", site);
    }
    if (offset % static_cast<std::int64_t>(alignment) != 0) {
        std::string what =
            fmt::format("{} bytes at byte {} of a shared array, which must be a multiple of {}",
                        bytes, offset, alignment);
        fail(FindingKind::Misaligned, std::move(what), site);
    }
    const Lane& lane = *runningLane;
    auto problem = m_shared.access(*array, offset, bytes, kind,
                                   {.thread = lane.index,
                                    .epoch = m_epoch,
                                    .warp = &m_warps[lane.index / 32].order,
                                    .site = site});
    if (!problem) {
        return;
    }
    constexpr FindingKind kKinds[] = {FindingKind::SharedBounds, FindingKind::Misaligned,
                                      FindingKind::Uninitialised, FindingKind::PendingCopy,
                                      FindingKind::Race};
    fail(kKinds[static_cast<std::size_t>(problem->kind)], std::move(problem->text), site);
}

void Executor::checkCopies(const Lane& lane) {
    if (!lane.copies.empty()) {
        fail(FindingKind::PendingCopy, "the thread ended before its asynchronous copies had landed",
             lane.copies.front().site);
    }
}

} // namespace simt

// How the executor ends a kernel: what was found becomes text with its place, and an exception.
#include "tests/support/simt/executor.h"

#include <fmt/format.h>

#include <exception>
#include <map>

namespace simt {

void fail(FindingKind kind, std::string what, const Site& site) {
    what += " at " + describe(site);
    lane().executor->fail(kind, std::move(what), nullptr);
}

void failAt(FindingKind kind, std::string what, const void* instruction) {
    lane().executor->fail(kind, std::move(what), instruction);
}

// --- findings ---

void Executor::fail(FindingKind kind, std::string what, const void* instruction) {
    m_pending = {kind, std::move(what), runningLane, instruction};
    m_fibers.yield();
    std::terminate(); // an abandoned fiber is never resumed
}

std::string Executor::place(const Lane* lane) const {
    const auto text = [](uint3 at) { return fmt::format("({},{},{})", at.x, at.y, at.z); };
    std::string result = nameOfFunction(m_launch->kernel);
    if (lane != nullptr) {
        result += fmt::format(", block {}, thread {}", text(lane->block), text(lane->thread));
    }
    return result;
}

void Executor::throwFinding() {
    const Pending pending = *m_pending;
    std::string message = place(pending.lane) + ": " + pending.what;
    if (pending.instruction != nullptr) {
        message += ", at " + describeAddress(pending.instruction);
    }
    m_fibers.abandon();
    m_arena.closeAll();
    throw Finding(pending.kind, message);
}

void Executor::throwDeadlock() {
    std::map<std::string, std::vector<unsigned>> waiting;
    for (std::size_t i = 0; i < m_count; ++i) {
        const Lane& lane = *m_lanes[i];
        if (lane.state == Lane::State::AtBarrier) {
            waiting["at the barrier of " + describe(lane.site)].push_back(lane.index);
        } else if (lane.state == Lane::State::InCollective) {
            waiting[fmt::format("in {} with mask {:#010x} at {}", lane.collective->name, lane.mask,
                                describe(lane.site))]
                .push_back(lane.index);
        }
    }
    std::string what = "nobody can go on";
    for (const auto& [place, lanes] : waiting) {
        what += fmt::format("; {} threads (the first is {}) wait {}", lanes.size(), lanes.front(),
                            place);
    }
    m_pending = {FindingKind::Deadlock, what, nullptr};
    throwFinding();
}

// --- faults ---

void* Executor::prepareFault(const void* address, const void* instruction) {
    m_faultAddress = address;
    m_faultInstruction = instruction;
    return m_fibers.top(runningLane->index);
}

void Executor::reportFault() {
    Executor& self = *runningLane->executor;
    const void* address = self.m_faultAddress;
    // The instruction itself, not the one after a call.
    const void* instruction = static_cast<const std::byte*>(self.m_faultInstruction) + 1;
    if (self.m_arena.contains(address)) {
        self.fail(FindingKind::GlobalBounds,
                  "reaches device memory " + self.m_arena.describe(address), instruction);
    }
    if (self.m_fibers.isGuard(address)) {
        self.fail(FindingKind::StackOverflow, "the stack of a thread overflowed", instruction);
    }
    self.fail(address == nullptr ? FindingKind::Misaligned : FindingKind::ForeignPointer,
              address == nullptr ? std::string("uses a null or misaligned pointer")
                                 : fmt::format("uses {}, which is no device memory", address),
              instruction);
}

} // namespace simt

// What the executor finds wrong with a kernel, as an exception that names kernel, block, thread and
// place. Thrown on the thread that launched; kernels themselves never see one.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace simt {

enum class FindingKind {
    Race,
    SharedBounds,
    Uninitialised,
    Misaligned,
    Carving,          // arrays that differ between threads, or more than the launch asked for
    DivergentBarrier, // threads of a block wait at different barriers
    EarlyExit,        // a thread ended, another waits for it at a barrier
    Deadlock,
    WarpMask,
    PendingCopy, // an asynchronous copy that nobody waited for
    GlobalBounds,
    Redzone, // a write beside an allocation or a shared array
    ForeignPointer,
    StackOverflow,
    Trap,
    Runtime, // a call of the CUDA runtime that real devices refuse or leave undefined
};

class Finding : public std::runtime_error {
public:
    Finding(FindingKind kind, const std::string& message)
        : std::runtime_error(message),
          m_kind(kind) {}
    FindingKind kind() const { return m_kind; }

private:
    FindingKind m_kind;
};

using Site = std::source_location;
std::string describe(const Site& site); // file:line
bool isSame(const Site& a, const Site& b);
// The function and line of an instruction outside the executor's own headers, inlined ones too.
// Asks addr2line, so it is slow; the bare function name where there is no debug information.
std::string describeAddress(const void* instruction);
std::string nameOfFunction(const void* function);

} // namespace simt

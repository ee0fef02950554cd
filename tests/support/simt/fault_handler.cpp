#include "tests/support/simt/fault_handler.h"

#include "tests/support/simt/executor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ucontext.h>

namespace simt {

namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;

// The actions of before, one a signal, and a stack a thread: fibers' own stacks may be full.
struct sigaction previousSegment, previousBus;
thread_local std::byte* signalStack = nullptr;
int handlers = 0; // of the one executor that runs, under the device's lock

void goOn() {
    Executor::reportFault();
}

void handle(int signal, siginfo_t* info, void* rawContext) {
    auto* context = static_cast<ucontext_t*>(rawContext);
    if (runningLane != nullptr) {
        Executor& executor = *runningLane->executor;
        if (executor.openPage(info->si_addr)) {
            return; // and try again
        }
        const auto instruction = static_cast<std::uintptr_t>(context->uc_mcontext.gregs[REG_RIP]);
        // Go on in a function of ours, on a clean part of the dead thread's stack.
        auto top = reinterpret_cast<std::uintptr_t>(
            executor.prepareFault(info->si_addr, reinterpret_cast<const void*>(instruction)));
        top = (top & ~std::uintptr_t{15}) - 8; // as after a call
        context->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top);
        context->uc_mcontext.gregs[REG_RIP] =
            static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&goOn));
        return;
    }
    ::sigaction(signal, signal == SIGBUS ? &previousBus : &previousSegment, nullptr);
}

} // namespace

FaultHandler::FaultHandler() {
    stack_t current{};
    ::sigaltstack(nullptr, &current);
    if ((current.ss_flags & SS_DISABLE) != 0) {
        if (signalStack == nullptr) {
            signalStack =
                static_cast<std::byte*>(::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        }
        stack_t own{};
        own.ss_sp = signalStack;
        own.ss_size = kSignalStackBytes;
        ::sigaltstack(&own, nullptr);
    }
    if (handlers++ == 0) {
        struct sigaction action {};
        action.sa_sigaction = &handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        ::sigaction(SIGSEGV, &action, &previousSegment);
        ::sigaction(SIGBUS, &action, &previousBus);
    }
}

FaultHandler::~FaultHandler() {
    if (--handlers == 0) {
        ::sigaction(SIGSEGV, &previousSegment, nullptr);
        ::sigaction(SIGBUS, &previousBus, nullptr);
    }
}

} // namespace simt

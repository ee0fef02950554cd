// While one exists, memory faults of kernels become findings: pages of live device memory are
// opened at their first touch, all else ends the kernel. Faults of other code go to whom they went
// before: host code that touches device memory crashes, as it does on a machine with a GPU.
#pragma once

namespace simt {

class FaultHandler {
public:
    FaultHandler();
    ~FaultHandler();
    FaultHandler(const FaultHandler&) = delete;
    FaultHandler& operator=(const FaultHandler&) = delete;
};

} // namespace simt

#include "kernels/cuda_module.h"

#include <system_error>

#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace kernels {

namespace {

constexpr const char* kLibrary = "libheadway_cuda.so";
constexpr const char* kEntry = "headwayMakeCudaOps"; // kernels/cuda/module.cu
using Entry = Ops* (*)(ThreadPool* pool, int device);

Entry findEntry() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path file = program.parent_path() / kLibrary;
    if (error || !std::filesystem::exists(file, error)) {
        throw std::runtime_error("this build has no CUDA operators (" + std::string(kLibrary) +
                                 " is not beside the program): build with -DHEADWAY_CUDA=ON, which "
                                 "needs the CUDA toolkit, or compute on the CPU");
    }
    // Never closed: operators and weights run its code as long as they live.
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error("the CUDA operators can't be loaded: " + std::string(dlerror()));
    }
    void* entry = dlsym(library, kEntry);
    if (entry == nullptr) {
        throw std::runtime_error(file.string() + " is another version's: build it again");
    }
    return reinterpret_cast<Entry>(entry);
}

} // namespace

std::unique_ptr<Ops> loadCudaOps(ThreadPool& pool, int device) {
    return std::unique_ptr<Ops>(findEntry()(&pool, device));
}

} // namespace kernels

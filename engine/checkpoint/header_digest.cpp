#include "engine/checkpoint/header_digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <new>

namespace engine {

struct HeaderDigest::State {
    State() : xxh3(XXH3_createState(), XXH3_freeState) {
        if (!xxh3) {
            throw std::bad_alloc();
        }
        XXH3_64bits_reset(xxh3.get());
    }
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> xxh3;
};

HeaderDigest::HeaderDigest() : m_state(std::make_unique<State>()) {}
HeaderDigest::~HeaderDigest() = default;

void HeaderDigest::add(std::span<const std::byte> bytes) {
    XXH3_64bits_update(m_state->xxh3.get(), bytes.data(), bytes.size());
}

void HeaderDigest::add(std::uint64_t number) {
    std::array<std::byte, sizeof number> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(number >> (8 * i));
    }
    add(bytes);
}

std::string HeaderDigest::text() const {
    return fmt::format("xxh3:{:016x}", XXH3_64bits_digest(m_state->xxh3.get()));
}

} // namespace engine

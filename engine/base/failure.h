// What is thrown inside the engine for reasons outside it (a file, a setting), and the door where
// it becomes an Error. Broken invariants of our own are base/ensure.h.
#pragma once

#include "engine/error.h"

#include <exception>
#include <expected>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace engine {

// The message is fit to show: it names the thing and the remedy.
class Failure : public std::runtime_error {
public:
    Failure(ErrorCode code, const std::string& message)
        : std::runtime_error(message),
          m_code(code) {}
    ErrorCode code() const { return m_code; }

private:
    ErrorCode m_code;
};

// Runs `work` and turns whatever it throws into an Error.
template <class Work>
auto atTheDoor(Work&& work) -> Result<decltype(work())> {
    try {
        if constexpr (std::is_void_v<decltype(work())>) {
            std::forward<Work>(work)();
            return {};
        } else {
            return std::forward<Work>(work)();
        }
    } catch (const Failure& failure) {
        return std::unexpected(Error{failure.code(), failure.what()});
    } catch (const std::bad_alloc&) {
        return std::unexpected(Error{ErrorCode::OutOfMemory, "There is not enough memory."});
    } catch (const std::exception& fault) {
        return std::unexpected(Error{ErrorCode::Internal, fault.what()});
    }
}

} // namespace engine

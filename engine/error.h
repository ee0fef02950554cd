// What a public function returns when it can't do what was asked: a code for programs, a message
// fit to show.
#pragma once

#include <expected>
#include <string>

namespace engine {

enum class ErrorCode {
    Invalid,
    NotFound,
    Unsupported,
    Corrupt,
    TooLarge,
    OutOfMemory,
    Io,
    Busy,
    Cancelled,
    Internal
};

// The message names the thing and the remedy in one or two sentences, without a path to our code.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

} // namespace engine

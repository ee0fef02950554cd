// Where a server is: "http://host[:port][/path][?token-file=FILE]". Pure but for the file.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace app {

struct RemoteAddress {
    std::string host;
    std::uint16_t port = 80;
    std::string path; // before /v1, without a slash at its end
    std::filesystem::path tokenFile;
    std::string text() const; // as shown: without the file
};

bool isRemoteAddress(std::string_view text);
engine::Result<RemoteAddress> parseRemoteAddress(std::string_view text);
// Empty where no file is named.
engine::Result<std::string> readToken(const RemoteAddress& address);

} // namespace app

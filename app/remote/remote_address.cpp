#include "app/remote/remote_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace app {

namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kTokenFile = "token-file=";
constexpr std::size_t kMostTokenBytes = 4096;

std::unexpected<engine::Error> invalid(std::string message) {
    return std::unexpected(engine::Error{engine::ErrorCode::Invalid, std::move(message)});
}

} // namespace

std::string RemoteAddress::text() const {
    return fmt::format("http://{}:{}{}", host, port, path);
}

bool isRemoteAddress(std::string_view text) {
    return text.starts_with(kScheme) || text.starts_with("https://");
}

engine::Result<RemoteAddress> parseRemoteAddress(std::string_view text) {
    if (text.starts_with("https://")) {
        return invalid("Servers are reached by http:// only; put a local proxy before one that "
                       "needs https.");
    }
    if (!text.starts_with(kScheme)) {
        return invalid("The address of a server begins with http://.");
    }
    text.remove_prefix(kScheme.size());
    RemoteAddress address;
    if (const auto mark = text.find('?'); mark != std::string_view::npos) {
        const std::string_view query = text.substr(mark + 1);
        if (!query.starts_with(kTokenFile)) {
            return invalid("After the ? of a server's address stands token-file=FILE.");
        }
        address.tokenFile = std::string(query.substr(kTokenFile.size()));
        text = text.substr(0, mark);
    }
    const auto slash = std::min(text.find('/'), text.size());
    std::string_view host = text.substr(0, slash);
    std::string_view path = text.substr(slash);
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    if (path.ends_with("/v1")) { // as clients write it
        path.remove_suffix(3);
    }
    address.path = path;
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos) {
        const std::string_view port = host.substr(colon + 1);
        const auto [end, code] =
            std::from_chars(port.data(), port.data() + port.size(), address.port);
        if (code != std::errc{} || end != port.data() + port.size() || address.port == 0) {
            return invalid(fmt::format("\"{}\" is no port.", port));
        }
        host = host.substr(0, colon);
    }
    const auto isPlain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '.' || c == '-' || c == '_';
    };
    if (host.empty() || !std::ranges::all_of(host, isPlain)) {
        return invalid(fmt::format("\"{}\" is no name of a server.", host));
    }
    const auto isPath = [](char c) { return c > ' ' && c < 0x7F; };
    if (!std::ranges::all_of(path, isPath)) {
        return invalid("The path of a server's address holds plain characters only.");
    }
    address.host = host;
    return address;
}

engine::Result<std::string> readToken(const RemoteAddress& address) {
    if (address.tokenFile.empty()) {
        return std::string();
    }
    std::ifstream file(address.tokenFile);
    std::string token;
    if (!std::getline(file, token) || token.empty() || token.size() > kMostTokenBytes ||
        !std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; })) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Io,
                          fmt::format("The token file {} can't be read, or holds no token.",
                                      address.tokenFile.string())});
    }
    return token;
}

} // namespace app

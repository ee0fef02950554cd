#include "tests/support/http_client.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <poll.h>

namespace tests {

namespace {

using std::chrono::steady_clock;

std::size_t numberOf(std::string_view text, int base) {
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

} // namespace

std::vector<std::string> HttpAnswer::events() const {
    constexpr std::string_view kData = "data: ";
    std::vector<std::string> list;
    std::size_t at = 0;
    while (at < body.size()) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        const std::string_view line = std::string_view(body).substr(at, end - at);
        if (line.starts_with(kData)) {
            list.emplace_back(line.substr(kData.size()));
        }
        at = end + 1;
    }
    return list;
}

HttpClient::HttpClient(std::uint16_t port) : m_socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        close();
    }
}

HttpClient::~HttpClient() {
    close();
}

void HttpClient::close() {
    if (m_socket >= 0) {
        ::close(m_socket);
        m_socket = -1;
    }
}

bool HttpClient::send(std::string_view bytes) {
    while (m_socket >= 0 && !bytes.empty()) {
        const auto sent = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return m_socket >= 0;
}

bool HttpClient::fill(steady_clock::time_point until) {
    if (m_isEnded || m_socket < 0) {
        return false;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd waited{.fd = m_socket, .events = POLLIN, .revents = 0};
    if (::poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) <= 0) {
        return false;
    }
    char bytes[16384];
    const auto count = ::recv(m_socket, bytes, sizeof bytes, 0);
    if (count <= 0) {
        m_isEnded = true;
        return false;
    }
    m_in.append(bytes, static_cast<std::size_t>(count));
    return true;
}

std::string HttpClient::readUntil(std::string_view text, std::chrono::milliseconds limit) {
    const auto until = steady_clock::now() + limit;
    while (m_in.find(text) == std::string::npos && fill(until)) {
    }
    return m_in;
}

bool HttpClient::isClosedWithin(std::chrono::milliseconds limit) {
    const auto until = steady_clock::now() + limit;
    while (fill(until)) {
    }
    return m_isEnded || m_socket < 0;
}

HttpAnswer HttpClient::answer(std::chrono::milliseconds limit) {
    const auto until = steady_clock::now() + limit;
    std::size_t head = 0;
    while ((head = m_in.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(until)) {
            return {};
        }
    }
    HttpAnswer result;
    const std::string text = m_in.substr(0, head + 2);
    m_in.erase(0, head + 4);
    result.status = static_cast<int>(numberOf(std::string_view(text).substr(9, 3), 10));
    for (std::size_t at = text.find("\r\n") + 2; at < text.size();) {
        const std::size_t end = text.find("\r\n", at);
        const std::string line = text.substr(at, end - at);
        const std::size_t colon = line.find(": ");
        std::string name = line.substr(0, colon);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        result.headers[name] = line.substr(colon + 2);
        at = end + 2;
    }
    const auto take = [&](std::size_t bytes) {
        while (m_in.size() < bytes && fill(until)) {
        }
        std::string part = m_in.substr(0, bytes);
        m_in.erase(0, part.size());
        return part;
    };
    if (result.headers.contains("transfer-encoding")) {
        for (;;) {
            while (m_in.find("\r\n") == std::string::npos && fill(until)) {
            }
            const std::size_t end = m_in.find("\r\n");
            if (end == std::string::npos) {
                result.status = 0; // cut off
                return result;
            }
            const std::size_t size = numberOf(std::string_view(m_in).substr(0, end), 16);
            m_in.erase(0, end + 2);
            result.body += take(size);
            take(2);
            if (size == 0) {
                return result;
            }
        }
    }
    result.body = take(numberOf(result.headers["content-length"], 10));
    return result;
}

std::string HttpClient::request(std::string_view method, std::string_view path,
                                std::string_view token, std::string_view body,
                                const std::vector<std::string>& headers) {
    std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n", method, path);
    if (!token.empty()) {
        text += fmt::format("Authorization: Bearer {}\r\n", token);
    }
    if (!body.empty()) {
        text +=
            fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    }
    for (const std::string& header : headers) {
        text += header + "\r\n";
    }
    return text.append("\r\n").append(body);
}

void allowManyFiles() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 8192);
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

HttpAnswer ask(std::uint16_t port, const std::string& request, std::chrono::milliseconds limit) {
    HttpClient client(port);
    client.send(request);
    return client.answer(limit);
}

} // namespace tests

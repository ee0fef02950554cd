#include "app/api/http_reply.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>

namespace app {

namespace {

std::string_view reasonOf(int status) {
    constexpr std::array<std::pair<int, std::string_view>, 19> kReasons = {{
        {200, "OK"},
        {201, "Created"},
        {204, "No Content"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    }};
    const auto* row = std::ranges::find(kReasons, status, &std::pair<int, std::string_view>::first);
    return row == kReasons.end() ? std::string_view("Status") : row->second;
}

// Nothing here is for a cache, a frame or a page of somebody else.
std::string headOf(const HttpResponse& response, std::string_view framing) {
    std::string text =
        fmt::format("HTTP/1.1 {} {}\r\nServer: headway\r\nCache-Control: no-store\r\n"
                    "X-Content-Type-Options: nosniff\r\n",
                    response.status, reasonOf(response.status));
    if (!response.contentType.empty() && response.status != 204) {
        text += fmt::format("Content-Type: {}\r\n", response.contentType);
    }
    for (const auto& [name, value] : response.headers) {
        text += fmt::format("{}: {}\r\n", name, value);
    }
    return text.append(framing).append("\r\n");
}

} // namespace

std::string_view HttpRequest::header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &HttpHeaders::value_type::first);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t HttpRequest::count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::ranges::count(headers, name, &HttpHeaders::value_type::first));
}

std::string httpHead(const HttpResponse& response) {
    return headOf(response, fmt::format("Content-Length: {}\r\n", response.body.size())) +
           response.body;
}

std::string httpErrorBody(std::string_view message, std::string_view type, std::string_view code,
                          std::string_view parameter) {
    nlohmann::ordered_json error;
    error["message"] = message;
    error["type"] = type;
    error["param"] = parameter.empty() ? nlohmann::ordered_json() : parameter;
    error["code"] = code.empty() ? nlohmann::ordered_json() : code;
    return nlohmann::ordered_json{{"error", std::move(error)}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

HttpReply::HttpReply(std::shared_ptr<HttpConnection> connection,
                     std::weak_ptr<boost::asio::io_context> io, HttpRequest request, bool isChunked,
                     bool staysOpen)
    : m_connection(std::move(connection)),
      m_io(std::move(io)),
      m_request(std::move(request)),
      m_isChunked(isChunked),
      m_staysOpen(staysOpen) {}

void HttpReply::respond(HttpResponse response) {
    if (!m_connection) {
        return;
    }
    if (!m_staysOpen) {
        response.headers.emplace_back("Connection", "close");
    }
    if (m_request.method == "HEAD") {
        const std::size_t size = response.body.size();
        response.body.clear();
        m_connection->send(headOf(response, fmt::format("Content-Length: {}\r\n", size)));
    } else {
        m_connection->send(httpHead(response));
    }
    close();
}

void HttpReply::beginStream(HttpResponse head) {
    if (!m_connection) {
        return;
    }
    m_staysOpen = m_staysOpen && m_isChunked;
    if (!m_staysOpen) {
        head.headers.emplace_back("Connection", "close");
    }
    m_connection->send(headOf(head, m_isChunked ? "Transfer-Encoding: chunked\r\n" : ""));
    if (m_request.method == "HEAD") {
        close(); // the head is all of it
    }
}

void HttpReply::write(std::string_view text) {
    if (!m_connection || text.empty()) {
        return; // an empty chunk would be the end
    }
    m_connection->send(m_isChunked ? fmt::format("{:x}\r\n{}\r\n", text.size(), text)
                                   : std::string(text));
}

void HttpReply::end() {
    if (!m_connection) {
        return;
    }
    if (m_isChunked) {
        m_connection->send("0\r\n\r\n");
    }
    close();
}

void HttpReply::close() {
    m_onGone = {};
    m_onDrained = {};
    std::exchange(m_connection, nullptr)->finish(m_staysOpen);
}

std::function<void()> HttpReply::waker(std::function<void()> callback) {
    struct Bell {
        std::atomic<bool> isRinging{false};
    };
    // The work is done on the server's thread; who rings holds no more than this.
    auto work = std::make_shared<std::function<void()>>(std::move(callback));
    return [weak = weak_from_this(), owner = m_io, work, bell = std::make_shared<Bell>()] {
        const auto io = owner.lock();
        if (!io || bell->isRinging.exchange(true)) {
            return;
        }
        boost::asio::post(*io, [weak, work, bell] {
            bell->isRinging.store(false);
            if (const auto self = weak.lock()) {
                (*work)();
            }
        });
    };
}

void HttpReply::after(std::chrono::milliseconds time, std::function<void()> callback) {
    const auto io = m_io.lock();
    if (!io) {
        return;
    }
    const auto timer = std::make_shared<boost::asio::steady_timer>(*io, time);
    timer->async_wait([weak = weak_from_this(), timer,
                       callback = std::move(callback)](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (!error && self && self->m_connection) {
            callback();
        }
    });
}

void HttpReply::drain() {
    if (const auto callback = m_onDrained) {
        callback();
    }
}

void HttpReply::leave() {
    m_isGone = true;
    m_connection.reset();
    m_onDrained = {};
    if (const auto callback = std::exchange(m_onGone, {})) {
        callback();
    }
}

} // namespace app

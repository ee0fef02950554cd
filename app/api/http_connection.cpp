#include "app/api/http_connection.h"

#include "app/api/http_reply.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <algorithm>
#include <poll.h>

namespace app {

namespace {

namespace http = boost::beast::http;

// What a client may send beyond the request that is being answered.
constexpr std::size_t kPipelinedBytes = 16 * 1024;
constexpr std::chrono::milliseconds kLeaveTime{1000};
constexpr std::chrono::milliseconds kLookTime{100};

std::string small(boost::beast::string_view text) {
    std::string result(text.data(), text.size());
    std::ranges::transform(result, result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

// Without the body.
HttpRequest headOf(const http::request<http::string_body>& message) {
    HttpRequest request;
    request.method.assign(message.method_string().data(), message.method_string().size());
    const std::string target(message.target().data(), message.target().size());
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) {
        request.query = target.substr(mark + 1);
    }
    for (const auto& field : message) {
        request.headers.emplace_back(small(field.name_string()),
                                     std::string(field.value().data(), field.value().size()));
    }
    return request;
}

HttpRequest requestOf(http::request<http::string_body>&& message) {
    HttpRequest request = headOf(message);
    request.body = std::move(message.body());
    return request;
}

} // namespace

HttpConnection::HttpConnection(boost::asio::ip::tcp::socket socket, HttpHub& hub)
    : m_socket(std::move(socket)),
      m_hub(hub),
      m_timer(*hub.io),
      m_stall(*hub.io),
      m_leave(*hub.io),
      m_buffer(hub.limits.headerBytes + kPipelinedBytes) {
    m_hub.connections.insert(this);
    m_hub.onCount();
}

HttpConnection::~HttpConnection() {
    if (m_hub.connections.erase(this) > 0) {
        m_hub.onCount();
    }
}

void HttpConnection::start() {
    boost::system::error_code ignored;
    m_socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored); // tokens are small
    enter(Phase::Idle);
    watch();
}

void HttpConnection::close() {
    if (m_phase == Phase::Closed) {
        return;
    }
    m_phase = Phase::Closed;
    m_timer.cancel();
    m_stall.cancel();
    m_leave.cancel();
    boost::system::error_code ignored;
    m_socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    m_socket.close(ignored);
    if (m_hub.connections.erase(this) > 0) {
        m_hub.onCount();
    }
    if (const auto reply = std::exchange(m_reply, nullptr)) {
        reply->leave();
    }
}

void HttpConnection::enter(Phase phase) {
    m_phase = phase;
    m_since = std::chrono::steady_clock::now();
    switch (phase) {
    case Phase::Idle:
        armTimer(m_hub.limits.idleTime);
        break;
    case Phase::Header:
        armTimer(m_hub.limits.headerTime);
        break;
    case Phase::Body:
        armTimer(m_hub.limits.bodyTime);
        break;
    case Phase::Leaving:
        armTimer(kLeaveTime);
        break;
    case Phase::Answering:
    case Phase::Closed:
        m_timer.cancel();
        break;
    }
}

void HttpConnection::armTimer(std::chrono::milliseconds time) {
    m_timer.expires_after(time);
    m_timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (error || !self) {
            return;
        }
        if (self->m_phase == Phase::Header || self->m_phase == Phase::Body) {
            self->refuse(408, "The request did not arrive in time.");
        } else if (self->m_phase == Phase::Idle || self->m_phase == Phase::Leaving) {
            self->close();
        }
    });
}

// Reads what comes next: the first bytes of a request, or, beside an answer, that the client is
// gone. There is never more than one read under way.
void HttpConnection::watch() {
    const std::size_t room = m_buffer.max_size() - m_buffer.size();
    if (m_isWatching || m_phase == Phase::Closed || room == 0) {
        return;
    }
    if (m_phase == Phase::Answering && m_buffer.size() >= kPipelinedBytes) {
        watchForLeaving();
        return;
    }
    m_isWatching = true;
    m_socket.async_read_some(
        m_buffer.prepare(std::min<std::size_t>(room, 4096)),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
            self->takeWatched(error, bytes);
        });
}

// Where so much is waiting that no more is read, the end of it is not read either: the system is
// asked for it.
void HttpConnection::watchForLeaving() {
    m_leave.expires_after(kLookTime);
    m_leave.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (error || !self || self->m_phase != Phase::Answering || self->m_closesAtEnd) {
            return;
        }
        if (self->hasLeft()) {
            self->close();
        } else {
            self->watchForLeaving();
        }
    });
}

bool HttpConnection::hasLeft() {
    pollfd state{.fd = m_socket.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&state, 1, 0) > 0; // an error is told as well
}

void HttpConnection::takeWatched(const boost::system::error_code& error, std::size_t bytes) {
    m_isWatching = false;
    if (m_phase == Phase::Closed || m_phase == Phase::Leaving) {
        return;
    }
    if (!error) {
        m_buffer.commit(bytes);
    }
    if (std::exchange(m_isNextWaiting, false) &&
        (!error || error == boost::asio::error::operation_aborted)) {
        readHeader();
    } else if (error) {
        if (!m_closesAtEnd) { // else what is written goes out first
            close();
        }
    } else if (m_phase == Phase::Idle) {
        readHeader();
    } else {
        watch();
    }
}

void HttpConnection::readHeader() {
    enter(Phase::Header);
    m_parser.emplace();
    m_parser->header_limit(static_cast<std::uint32_t>(m_hub.limits.headerBytes));
    m_parser->body_limit(m_hub.limits.bodyBytes);
    http::async_read_header(m_socket, m_buffer, *m_parser,
                            [self = shared_from_this()](const boost::system::error_code& error,
                                                        std::size_t) { self->takeHeader(error); });
}

void HttpConnection::takeHeader(const boost::system::error_code& error) {
    if (m_phase != Phase::Header) {
        return;
    }
    if (error) {
        fail(error);
        return;
    }
    const auto coding = m_parser->get()[http::field::transfer_encoding];
    if (!coding.empty() && !boost::beast::iequals(coding, "chunked")) {
        refuse(501, "Of transfer codings only \"chunked\" is understood.");
        return;
    }
    const bool hasBody = m_parser->chunked() || m_parser->content_length().value_or(0) > 0;
    if (hasBody && m_hub.admission) {
        if (auto refusal = m_hub.admission(headOf(m_parser->get()))) {
            refuse(std::move(*refusal));
            return;
        }
    }
    const auto expected = m_parser->get()[http::field::expect];
    if (boost::beast::iequals(expected, "100-continue")) {
        send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    readBody();
}

void HttpConnection::readBody() {
    enter(Phase::Body);
    http::async_read(m_socket, m_buffer, *m_parser,
                     [self = shared_from_this()](const boost::system::error_code& error,
                                                 std::size_t) { self->takeBody(error); });
}

void HttpConnection::takeBody(const boost::system::error_code& error) {
    if (m_phase != Phase::Body) {
        return;
    }
    if (error) {
        fail(error);
    } else {
        handle();
    }
}

void HttpConnection::handle() {
    enter(Phase::Answering);
    auto message = m_parser->release();
    m_parser.reset();
    const bool isNew = message.version() >= 11;
    const bool staysOpen = message.keep_alive();
    m_isEnded = false;
    const auto reply = std::make_shared<HttpReply>(shared_from_this(), m_hub.io,
                                                   requestOf(std::move(message)), isNew, staysOpen);
    m_reply = reply;
    watch();
    try {
        m_hub.handler(reply);
    } catch (const std::exception&) {
        reply->respond({.status = 500,
                        .body = R"({"error":{"message":"The request could not be handled.",)"
                                R"("type":"server_error"}})"});
    }
}

void HttpConnection::fail(const boost::system::error_code& error) {
    if (error == http::error::body_limit) {
        refuse(413, "The body is too large.");
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        refuse(431, "The header is too large.");
    } else if (error.category() == http::make_error_code(http::error::end_of_stream).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
        refuse(400, "This is no HTTP request.");
    } else {
        close();
    }
}

void HttpConnection::refuse(int status, std::string_view message) {
    refuse({.status = status, .body = httpErrorBody(message, "invalid_request_error")});
}

// The rest of the request is not read.
void HttpConnection::refuse(HttpResponse response) {
    enter(Phase::Answering);
    response.headers.emplace_back("Connection", "close");
    send(httpHead(response));
    finish(false);
}

void HttpConnection::refuse() {
    enter(Phase::Answering);
    send(httpHead({.status = 503,
                   .body = httpErrorBody("Too many connections are open.", "server_error"),
                   .headers = {{"Connection", "close"}, {"Retry-After", "1"}}}));
    finish(false);
}

void HttpConnection::send(std::string bytes) {
    if (m_phase == Phase::Closed) {
        return;
    }
    m_out += bytes;
    writeNext();
}

void HttpConnection::writeNext() {
    if (m_isWriting || m_out.empty()) {
        return;
    }
    m_isWriting = true;
    m_sending = std::exchange(m_out, {});
    m_stall.expires_after(m_hub.limits.stallTime);
    m_stall.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
        const auto self = weak.lock();
        if (!error && self) {
            self->close();
        }
    });
    boost::asio::async_write(
        m_socket, boost::asio::buffer(m_sending),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
            self->takeWritten(error);
        });
}

void HttpConnection::takeWritten(const boost::system::error_code& error) {
    m_isWriting = false;
    m_stall.cancel();
    if (m_phase == Phase::Closed) {
        return;
    }
    if (error) {
        close();
        return;
    }
    writeNext();
    if (m_isWriting) {
        return;
    }
    if (m_isEnded) {
        finish(!m_closesAtEnd);
    } else if (const auto reply = m_reply) {
        reply->drain();
    }
}

// The answer is whole. Once it is written the next request may come, or the connection closes.
void HttpConnection::finish(bool staysOpen) {
    if (m_phase == Phase::Closed) {
        return;
    }
    m_isEnded = true;
    m_closesAtEnd = !staysOpen;
    m_reply.reset();
    if (m_isWriting) {
        return;
    }
    if (m_closesAtEnd) {
        leave();
        return;
    }
    m_isEnded = false;
    if (m_buffer.size() == 0) {
        enter(Phase::Idle);
        watch();
    } else if (m_isWatching) {
        m_isNextWaiting = true;
        boost::system::error_code ignored;
        m_socket.cancel(ignored);
    } else {
        readHeader();
    }
}

// Closing while the client still sends would take the answer from it before it has read it.
void HttpConnection::leave() {
    enter(Phase::Leaving);
    boost::system::error_code ignored;
    m_socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    discard();
}

void HttpConnection::discard() {
    m_socket.async_read_some(
        boost::asio::buffer(m_discarded),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
            if (error) {
                self->close();
            } else if (self->m_phase == Phase::Leaving) {
                self->discard();
            }
        });
}

} // namespace app

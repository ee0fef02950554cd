#include "app/remote/remote_call.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <thread>
#include <utility> // the next header forgets it

namespace app {

namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr std::uint32_t kHeaderBytes = 64 * 1024;
constexpr std::size_t kPieceBytes = 16 * 1024;

std::string headOf(const RemoteRequest& request, const RemoteAddress& address,
                   const std::string& token) {
    std::string text =
        fmt::format("{} {}{} HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: headway\r\n"
                    "Accept: */*\r\nConnection: close\r\n",
                    request.method, address.path, request.path, address.host, address.port);
    if (!token.empty()) {
        text += fmt::format("Authorization: Bearer {}\r\n", token);
    }
    for (const auto& [name, value] : request.headers) {
        text += fmt::format("{}: {}\r\n", name, value);
    }
    if (!request.body.empty()) {
        text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n",
                            request.body.size());
    }
    return text + "\r\n" + request.body;
}

class Call final : public RemoteCall, public std::enable_shared_from_this<Call> {
public:
    Call(boost::asio::io_context& io, const RemoteAddress& address, const std::string& token,
         RemoteRequest request, RemoteListener listener)
        : m_io(io),
          m_address(address),
          m_text(headOf(request, address, token)),
          m_connectTime(request.connectTime),
          m_silence(request.silence),
          m_listener(std::move(listener)),
          m_resolver(io),
          m_socket(io),
          m_timer(io) {}

    void start() {
        arm(m_connectTime, "it did not accept a connection in time");
        m_resolver.async_resolve(m_address.host, std::to_string(m_address.port),
                                 [self = shared_from_this()](const auto& error, const auto& found) {
                                     if (!self->hasFailed(error)) {
                                         self->connect(found);
                                     }
                                 });
    }

    void cancel() override {
        boost::asio::post(m_io, [self = shared_from_this()] {
            self->m_listener = {};
            self->close();
        });
    }

private:
    void connect(const tcp::resolver::results_type& found) {
        boost::asio::async_connect(m_socket, found,
                                   [self = shared_from_this()](const auto& error, const auto&) {
                                       if (!self->hasFailed(error)) {
                                           self->send();
                                       }
                                   });
    }

    void send() {
        if (m_listener.onConnected) {
            m_listener.onConnected();
        }
        boost::system::error_code ignored;
        m_socket.set_option(tcp::no_delay(true), ignored);
        arm(m_silence, "it fell silent");
        boost::asio::async_write(m_socket, boost::asio::buffer(m_text),
                                 [self = shared_from_this()](const auto& error, std::size_t) {
                                     if (!self->hasFailed(error)) {
                                         self->readHead();
                                     }
                                 });
    }

    void readHead() {
        m_parser.header_limit(kHeaderBytes);
        // Boost 1.74 takes "none" for a limit of nothing.
        m_parser.body_limit(std::numeric_limits<std::uint64_t>::max());
        http::async_read_header(m_socket, m_buffer, m_parser,
                                [self = shared_from_this()](const auto& error, std::size_t) {
                                    if (!self->hasFailed(error)) {
                                        self->takeHead();
                                    }
                                });
    }

    void takeHead() {
        const auto& message = m_parser.get();
        const auto type = message[http::field::content_type];
        if (m_listener.onHead) {
            m_listener.onHead({.status = static_cast<int>(message.result_int()),
                               .isEventStream = type.starts_with("text/event-stream")});
        }
        if (m_parser.is_done()) {
            end({});
        } else {
            readPiece();
        }
    }

    void readPiece() {
        arm(m_silence, "it fell silent");
        m_parser.get().body().data = m_piece.data();
        m_parser.get().body().size = m_piece.size();
        http::async_read_some(m_socket, m_buffer, m_parser,
                              [self = shared_from_this()](const boost::system::error_code& error,
                                                          std::size_t) { self->takePiece(error); });
    }

    void takePiece(const boost::system::error_code& error) {
        const std::size_t bytes = m_piece.size() - m_parser.get().body().size;
        if (bytes > 0 && m_listener.onBytes) {
            m_listener.onBytes({m_piece.data(), bytes});
        }
        if (m_parser.is_done()) {
            end({});
        } else if (error && error != http::error::need_buffer) {
            // Without a length the end of the connection is the end of the answer.
            const bool isEnd = error == http::error::end_of_stream && !m_parser.chunked() &&
                               !m_parser.content_length();
            end(isEnd ? std::string() : problemOf(error));
        } else {
            readPiece();
        }
    }

    void arm(std::chrono::milliseconds time, const char* problem) {
        m_timer.expires_after(time);
        m_timer.async_wait([weak = weak_from_this(), problem](const auto& error) {
            const auto self = weak.lock();
            if (!error && self) {
                self->end(self->sentence(problem));
            }
        });
    }

    bool hasFailed(const boost::system::error_code& error) {
        if (error) {
            end(problemOf(error));
        }
        return static_cast<bool>(error);
    }

    std::string sentence(const std::string& what) const {
        return fmt::format("The server {} does not answer: {}.", m_address.text(), what);
    }
    std::string problemOf(const boost::system::error_code& error) const {
        return error == http::error::partial_message || error == http::error::end_of_stream
                   ? fmt::format("The server {} broke its answer off.", m_address.text())
                   : sentence(error.message());
    }

    void end(const std::string& problem) {
        const RemoteListener listener = std::exchange(m_listener, {});
        close();
        if (listener.onEnd) {
            listener.onEnd(problem);
        }
    }

    void close() {
        boost::system::error_code ignored;
        m_timer.cancel();
        m_resolver.cancel();
        m_socket.close(ignored);
    }

    boost::asio::io_context& m_io; // the hub's: it outlives its calls
    const RemoteAddress m_address;
    const std::string m_text;
    const std::chrono::milliseconds m_connectTime, m_silence;
    RemoteListener m_listener; // empty once nothing is called back any more
    tcp::resolver m_resolver;
    tcp::socket m_socket;
    boost::asio::steady_timer m_timer;
    boost::beast::flat_buffer m_buffer;
    http::response_parser<http::buffer_body> m_parser;
    std::array<char, kPieceBytes> m_piece{};
};

} // namespace

class RemoteHub::Impl {
public:
    Impl(RemoteAddress where, std::string key)
        : address(std::move(where)),
          token(std::move(key)),
          work(boost::asio::make_work_guard(io)),
          thread([this] { io.run(); }) {}

    ~Impl() { stop(); }

    void stop() {
        work.reset();
        io.stop();
        if (thread.joinable()) {
            thread.join();
        }
    }

    const RemoteAddress address;
    const std::string token;
    boost::asio::io_context io{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
    std::jthread thread;
};

RemoteHub::RemoteHub(RemoteAddress address, std::string token)
    : m_impl(std::make_unique<Impl>(std::move(address), std::move(token))) {}

RemoteHub::~RemoteHub() = default;

void RemoteHub::stop() {
    m_impl->stop();
}

std::shared_ptr<RemoteCall> RemoteHub::start(RemoteRequest request, RemoteListener listener) {
    const auto call = std::make_shared<Call>(m_impl->io, m_impl->address, m_impl->token,
                                             std::move(request), std::move(listener));
    boost::asio::post(m_impl->io, [call] { call->start(); });
    return call;
}

void RemoteHub::after(std::chrono::milliseconds time, std::function<void()> work) {
    boost::asio::post(m_impl->io, [io = &m_impl->io, time, work = std::move(work)]() mutable {
        const auto timer = std::make_shared<boost::asio::steady_timer>(*io, time);
        timer->async_wait([timer, work = std::move(work)](const auto& error) {
            if (!error) {
                work();
            }
        });
    });
}

const RemoteAddress& RemoteHub::address() const {
    return m_impl->address;
}

} // namespace app

#include "app/api/http_server.h"

#include "app/api/http_connection.h"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace app {

namespace {

using boost::asio::ip::tcp;

constexpr std::chrono::milliseconds kAcceptPause{100}; // after a failure, as of file numbers

} // namespace

class HttpServer::Impl {
public:
    Impl(HttpHandler handler, const HttpLimits& limits, HttpAdmission admission) {
        m_hub.handler = std::move(handler);
        m_hub.admission = std::move(admission);
        m_hub.limits = limits;
        m_hub.io = std::make_shared<boost::asio::io_context>(1);
        // Relaxed: a figure for display.
        m_hub.onCount = [this] {
            m_count.store(m_hub.connections.size(), std::memory_order_relaxed);
        };
    }

    ~Impl() { stop(); }

    engine::Result<std::uint16_t> start(std::uint16_t port,
                                        const std::function<void(std::uint16_t)>& onPort) {
        boost::system::error_code error;
        const tcp::endpoint wanted(boost::asio::ip::address_v4::loopback(), port);
        m_acceptor.emplace(*m_hub.io);
        m_acceptor->open(wanted.protocol(), error);
        if (!error) {
            m_acceptor->set_option(boost::asio::socket_base::reuse_address(true), error);
        }
        if (!error) {
            m_acceptor->bind(wanted, error);
        }
        if (!error) {
            m_acceptor->listen(boost::asio::socket_base::max_listen_connections, error);
        }
        if (error) {
            m_acceptor.reset();
            return std::unexpected(engine::Error{
                error == boost::asio::error::address_in_use ? engine::ErrorCode::Busy
                                                            : engine::ErrorCode::Io,
                fmt::format("The port {} can't be used: {}. Choose another, or 0 for a free one.",
                            port, error.message())});
        }
        const std::uint16_t used = m_acceptor->local_endpoint().port();
        if (onPort) {
            onPort(used);
        }
        m_pause.emplace(*m_hub.io);
        accept();
        m_thread = std::jthread([io = m_hub.io] { io->run(); });
        return used;
    }

    void stop() {
        if (!m_thread.joinable()) {
            return;
        }
        boost::asio::post(*m_hub.io, [this] {
            boost::system::error_code ignored;
            m_acceptor->close(ignored);
            m_pause->cancel();
            const std::vector<HttpConnection*> open(m_hub.connections.begin(),
                                                    m_hub.connections.end());
            for (HttpConnection* connection : open) {
                connection->shared_from_this()->close();
            }
            m_hub.io->stop();
        });
        m_thread.join();
    }

    std::size_t connections() const { return m_count.load(std::memory_order_relaxed); }

private:
    void accept() {
        m_acceptor->async_accept(
            [this](const boost::system::error_code& error, tcp::socket socket) {
                if (error == boost::asio::error::operation_aborted || !m_acceptor->is_open()) {
                    return;
                }
                if (error) {
                    m_pause->expires_after(kAcceptPause);
                    m_pause->async_wait([this](const boost::system::error_code& ended) {
                        if (!ended) {
                            accept();
                        }
                    });
                    return;
                }
                take(std::move(socket));
                accept();
            });
    }

    // Where there are too many, one that asks for nothing makes room; else the new one is refused.
    void take(tcp::socket socket) {
        if (m_hub.connections.size() >= m_hub.limits.connections) {
            HttpConnection* oldest = nullptr;
            for (HttpConnection* connection : m_hub.connections) {
                if (connection->isIdle() &&
                    (oldest == nullptr || connection->since() < oldest->since())) {
                    oldest = connection;
                }
            }
            if (oldest == nullptr) {
                std::make_shared<HttpConnection>(std::move(socket), m_hub)->refuse();
                return;
            }
            oldest->shared_from_this()->close();
        }
        std::make_shared<HttpConnection>(std::move(socket), m_hub)->start();
    }

    HttpHub m_hub;
    std::optional<tcp::acceptor> m_acceptor;
    std::optional<boost::asio::steady_timer> m_pause;
    std::atomic<std::size_t> m_count{0};
    std::jthread m_thread;
};

HttpServer::HttpServer(HttpHandler handler, const HttpLimits& limits, HttpAdmission admission)
    : m_impl(std::make_unique<Impl>(std::move(handler), limits, std::move(admission))) {}

HttpServer::~HttpServer() = default;

engine::Result<std::uint16_t> HttpServer::start(std::uint16_t port,
                                                const std::function<void(std::uint16_t)>& onPort) {
    return m_impl->start(port, onPort);
}

void HttpServer::stop() {
    m_impl->stop();
}

std::size_t HttpServer::connections() const {
    return m_impl->connections();
}

} // namespace app

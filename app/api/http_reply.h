// The exchange that a handler sees: one request on a connection and the way its answer goes out.
// The server's thread only, but for wakers. Private to the HTTP server.
#pragma once

#include "app/api/http_connection.h"

namespace app {

// Status line, headers and body, whole.
std::string httpHead(const HttpResponse& response);
// The error object of the OpenAI API.
std::string httpErrorBody(std::string_view message, std::string_view type,
                          std::string_view code = {}, std::string_view parameter = {});

class HttpReply final : public HttpExchange, public std::enable_shared_from_this<HttpReply> {
public:
    HttpReply(std::shared_ptr<HttpConnection> connection, std::weak_ptr<boost::asio::io_context> io,
              HttpRequest request, bool isChunked, bool staysOpen);

    const HttpRequest& request() const override { return m_request; }
    void respond(HttpResponse response) override;
    void beginStream(HttpResponse head) override;
    void write(std::string_view text) override;
    void end() override;
    bool isWriting() const override { return m_connection && m_connection->isWriting(); }
    bool isGone() const override { return m_isGone; }
    void onDrained(std::function<void()> callback) override { m_onDrained = std::move(callback); }
    void onGone(std::function<void()> callback) override { m_onGone = std::move(callback); }
    std::function<void()> waker(std::function<void()> callback) override;
    void after(std::chrono::milliseconds time, std::function<void()> callback) override;

    // For the connection.
    void drain();
    void leave();

private:
    void close();

    std::shared_ptr<HttpConnection> m_connection; // until the answer is whole or nobody reads it
    std::weak_ptr<boost::asio::io_context> m_io;  // what waits in it may hold this
    HttpRequest m_request;
    bool m_isChunked, m_staysOpen;
    bool m_isGone = false;
    std::function<void()> m_onDrained, m_onGone;
};

} // namespace app

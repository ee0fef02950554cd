// One connection of the server: reads a request, hands it on, writes the answer, then the next. The
// server's thread only. Private to the HTTP server.
#pragma once

#include "app/api/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <optional>
#include <unordered_set>
#include <utility> // the next header forgets it

namespace app {

class HttpConnection;
class HttpReply;

// What the connections of a server share.
struct HttpHub {
    HttpHandler handler;
    HttpAdmission admission; // may be empty
    HttpLimits limits;
    std::unordered_set<HttpConnection*> connections;
    std::function<void()> onCount; // their number changed
    // The only owner; last, as what it lets go when it goes still counts above.
    std::shared_ptr<boost::asio::io_context> io;
};

class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
public:
    HttpConnection(boost::asio::ip::tcp::socket socket, HttpHub& hub);
    ~HttpConnection();

    void start();
    void close();
    // Without a request of its own: may be closed for the sake of another.
    bool isIdle() const { return m_phase == Phase::Idle || m_phase == Phase::Header; }
    std::chrono::steady_clock::time_point since() const { return m_since; }
    // A few words and the end, to a connection too many.
    void refuse();

    // For the reply.
    void send(std::string bytes);
    void finish(bool staysOpen);
    bool isWriting() const { return m_isWriting; }

private:
    enum class Phase : std::uint8_t { Idle, Header, Body, Answering, Leaving, Closed };
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

    void enter(Phase phase);
    void watch();
    void watchForLeaving();
    bool hasLeft();
    void takeWatched(const boost::system::error_code& error, std::size_t bytes);
    void readHeader();
    void readBody();
    void takeHeader(const boost::system::error_code& error);
    void takeBody(const boost::system::error_code& error);
    void handle();
    void fail(const boost::system::error_code& error);
    void refuse(int status, std::string_view message);
    void refuse(HttpResponse response);
    void leave();
    void discard();
    void armTimer(std::chrono::milliseconds time);
    void writeNext();
    void takeWritten(const boost::system::error_code& error);

    boost::asio::ip::tcp::socket m_socket;
    HttpHub& m_hub;
    boost::asio::steady_timer m_timer; // of what is awaited from the client
    boost::asio::steady_timer m_stall; // of what is written
    boost::asio::steady_timer m_leave; // between two looks, where nothing may be read
    boost::beast::flat_buffer m_buffer;
    std::optional<Parser> m_parser;
    std::shared_ptr<HttpReply> m_reply;
    std::string m_out, m_sending;
    Phase m_phase = Phase::Idle;
    std::chrono::steady_clock::time_point m_since;
    bool m_isWatching = false; // a read is under way beside the answer
    bool m_isWriting = false;
    bool m_isEnded = false;       // the answer is whole
    bool m_closesAtEnd = false;   // once everything is written
    bool m_isNextWaiting = false; // sent before this answer was whole
    std::array<char, 4096> m_discarded{};
};

} // namespace app

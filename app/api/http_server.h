// A small HTTP/1.1 server on the loopback interface: one thread of its own, limits on everything a
// client can send or hold. Handlers run on that thread and must not block; what takes time is
// answered later, through the exchange.
#pragma once

#include "engine/error.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method; // "POST"
    std::string path;   // without the query
    std::string query;
    HttpHeaders headers; // names in small letters
    std::string body;

    std::string_view header(std::string_view name) const; // empty where it is absent
    std::size_t count(std::string_view name) const;
};

struct HttpResponse {
    int status = 200;
    std::string contentType = "application/json";
    std::string body = {};
    HttpHeaders headers = {};
};

struct HttpLimits {
    std::size_t headerBytes = 16 * 1024;
    std::size_t bodyBytes = 4 * 1024 * 1024;
    std::size_t connections = 256;
    // A connection without a request, from the first byte of a header to its end, the body, and one
    // write to a reader that does not read.
    std::chrono::milliseconds idleTime{60'000}, headerTime{10'000}, bodyTime{30'000},
        stallTime{30'000};
};

// One request and its answer. All calls on the server's thread, but for the wakers it hands out.
class HttpExchange {
public:
    virtual ~HttpExchange() = default;
    virtual const HttpRequest& request() const = 0;
    // Once, or beginStream() and then any number of write() and one end(). After the client has
    // gone they do nothing.
    virtual void respond(HttpResponse response) = 0;
    virtual void beginStream(HttpResponse head) = 0;
    virtual void write(std::string_view text) = 0;
    virtual void end() = 0;
    // Something written is still on its way. A streaming handler adds more only once it is not.
    virtual bool isWriting() const = 0;
    virtual bool isGone() const = 0;
    // Called when all that was written has been taken by the system.
    virtual void onDrained(std::function<void()> callback) = 0;
    // Called once, when the client leaves before the end.
    virtual void onGone(std::function<void()> callback) = 0;
    // A function for any thread and any time that lets `callback` run on the server's thread, as
    // long as the exchange lives. Rings that come before it ran count once.
    virtual std::function<void()> waker(std::function<void()> callback) = 0;
    // Calls back after a while, unless the client has gone.
    virtual void after(std::chrono::milliseconds time, std::function<void()> callback) = 0;
};

using HttpHandler = std::function<void(const std::shared_ptr<HttpExchange>&)>;
// Asked of a request with a body before that is read: what to answer instead, if anything.
using HttpAdmission = std::function<std::optional<HttpResponse>(const HttpRequest& head)>;

// Start and stop on one thread.
class HttpServer {
public:
    explicit HttpServer(HttpHandler handler, const HttpLimits& limits = {},
                        HttpAdmission admission = {});
    ~HttpServer(); // stops
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    // Listens on 127.0.0.1; port 0 takes a free one. The port that is in use, which `onPort` learns
    // before the first request.
    engine::Result<std::uint16_t> start(std::uint16_t port,
                                        const std::function<void(std::uint16_t)>& onPort = {});
    void stop(); // closes every connection; who was being answered is told that the client went
    std::size_t connections() const; // any thread

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace app

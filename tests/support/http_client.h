// A client that says exactly what a test wants, byte by byte, over a blocking socket. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

struct HttpAnswer {
    int status = 0;                             // 0: none came
    std::map<std::string, std::string> headers; // names in small letters
    std::string body;                           // chunks joined
    // The data of a stream of events, in order.
    std::vector<std::string> events() const;
};

class HttpClient {
public:
    explicit HttpClient(std::uint16_t port);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    bool isConnected() const { return m_socket >= 0; }
    bool send(std::string_view bytes); // false where the server has closed
    // The next answer whole; status 0 where none comes in time.
    HttpAnswer answer(std::chrono::milliseconds limit = std::chrono::seconds(10));
    // What has arrived once `text` is in it, or the time is over, or the server closes.
    std::string readUntil(std::string_view text,
                          std::chrono::milliseconds limit = std::chrono::seconds(10));
    bool isClosedWithin(std::chrono::milliseconds limit);
    void close();

    // A request with the usual headers.
    static std::string request(std::string_view method, std::string_view path,
                               std::string_view token = {}, std::string_view body = {},
                               const std::vector<std::string>& headers = {});

private:
    bool fill(std::chrono::steady_clock::time_point until);

    int m_socket = -1;
    std::string m_in;
    bool m_isEnded = false;
};

// So that a test can hold a thousand connections where the soft limit is a thousand.
void allowManyFiles();

// One request on a connection of its own.
HttpAnswer ask(std::uint16_t port, const std::string& request,
               std::chrono::milliseconds limit = std::chrono::seconds(20));

} // namespace tests

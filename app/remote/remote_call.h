// One request to another server and what comes back, as it comes. Lives on the thread of its hub;
// any thread may start and cancel calls. Calls back on that thread only.
#pragma once

#include "app/remote/remote_address.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

struct RemoteRequest {
    std::string method = "GET";
    std::string path; // after the address's own
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::chrono::milliseconds connectTime{5'000};
    std::chrono::milliseconds silence{120'000}; // longest without a byte
};

struct RemoteHead {
    int status = 0;
    bool isEventStream = false;
};

class RemoteCall {
public:
    virtual ~RemoteCall() = default;
    virtual void cancel() = 0; // any thread; nothing is called back after the hub saw it
};

struct RemoteListener {
    std::function<void()> onConnected = {};
    std::function<void(const RemoteHead&)> onHead;
    std::function<void(std::string_view bytes)> onBytes;
    // Once, at the end: an empty problem where the server's answer was whole.
    std::function<void(const std::string& problem)> onEnd;
};

class RemoteHub {
public:
    RemoteHub(RemoteAddress address, std::string token);
    ~RemoteHub();
    // Cancels all calls and joins the thread: nothing is called back any more. The hub can still be
    // asked; it does nothing then. Not on the hub's thread.
    void stop();
    RemoteHub(const RemoteHub&) = delete;
    RemoteHub& operator=(const RemoteHub&) = delete;

    std::shared_ptr<RemoteCall> start(RemoteRequest request, RemoteListener listener);
    // On the hub's thread, after a while.
    void after(std::chrono::milliseconds time, std::function<void()> work);
    const RemoteAddress& address() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace app

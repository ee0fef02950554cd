// The local API of a session: off until started, on the loopback interface only, behind a random
// token. Main thread; the session outlives it.
#pragma once

#include "engine/error.h"
#include "engine/events.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace app {

class Api;
class ApiState;
class HttpServer;
class Session;
struct HttpLimits;

struct ApiOptions {
    std::uint16_t port = 8100; // 0: a free one
    // Holds the token: read where it exists, written where not (readable by its owner only).
    // Empty: the token is told by token() alone.
    std::filesystem::path tokenFile = {};
};

class ApiServer final : public QObject {
    Q_OBJECT

public:
    explicit ApiServer(Session& session, QObject* parent = nullptr);
    ApiServer(Session& session, const HttpLimits& limits, QObject* parent = nullptr);
    ~ApiServer() override; // stops

    engine::Result<void> start(const ApiOptions& options);
    void stop();
    bool isRunning() const { return m_server != nullptr; }
    std::uint16_t port() const { return m_port; }
    const std::string& token() const { return m_token; }
    std::size_t connections() const;

Q_SIGNALS:
    void runningChanged();

private:
    void follow(Session& session);

    Session& m_session;
    std::unique_ptr<HttpLimits> m_limits;
    std::shared_ptr<ApiState> m_state;
    std::vector<engine::Event> m_arrived; // since the last tick
    std::shared_ptr<Api> m_api;
    std::unique_ptr<HttpServer> m_server;
    std::uint16_t m_port = 0;
    std::string m_token;
};

// 32 random bytes in small hexadecimal letters.
std::string randomToken();

} // namespace app

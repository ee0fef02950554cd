#include "app/api/api_server.h"

#include "app/api/api.h"
#include "app/session.h"

#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <fmt/format.h>

#include <array>
#include <utility>

namespace app {

namespace {

constexpr qint64 kMostTokenBytes = 4096;
constexpr std::size_t kLeastTokenBytes = 16;

std::unexpected<engine::Error> failed(std::string message) {
    return std::unexpected(engine::Error{engine::ErrorCode::Io, std::move(message)});
}

engine::Result<std::string> storedToken(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::ReadOnly)) {
        return failed(fmt::format("The token file {} can't be read: {}.", path.string(),
                                  file.errorString().toStdString()));
    }
    constexpr auto kOthers =
        QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther;
    if ((file.permissions() & kOthers) != QFile::Permissions()) {
        return failed(fmt::format("The token file {} can be read by others; make it its owner's "
                                  "alone: chmod 600.",
                                  path.string()));
    }
    const std::string token = file.read(kMostTokenBytes).trimmed().toStdString();
    const bool isPlain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
    if (token.size() < kLeastTokenBytes || !isPlain) {
        return failed(fmt::format("The token file {} holds no token: {} or more letters and "
                                  "digits. Remove it, and a new one is written.",
                                  path.string(), kLeastTokenBytes));
    }
    return token;
}

engine::Result<std::string> tokenFor(const std::filesystem::path& path) {
    if (path.empty()) {
        return randomToken();
    }
    const QString name = QString::fromStdString(path.string());
    if (QFileInfo::exists(name)) {
        return storedToken(path);
    }
    const std::string token = randomToken();
    QFile file(name);
    const std::string line = token + "\n";
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly,
                   QFile::ReadOwner | QFile::WriteOwner) ||
        file.write(line.data(), static_cast<qint64>(line.size())) !=
            static_cast<qint64>(line.size())) {
        return failed(fmt::format("The token file {} can't be written: {}.", path.string(),
                                  file.errorString().toStdString()));
    }
    return token;
}

std::vector<std::string> raisedAlarms(const Alarms& alarms) {
    std::vector<std::string> keys;
    for (std::size_t rule = 0; rule < alarms.states().size(); ++rule) {
        if (alarms.states()[rule].phase == AlarmPhase::Raised) {
            keys.emplace_back(alarmTable()[rule].key);
        }
    }
    return keys;
}

} // namespace

std::string randomToken() {
    std::array<quint32, 8> words{};
    QRandomGenerator::system()->fillRange(words.data(), static_cast<qsizetype>(words.size()));
    std::string token;
    for (const quint32 word : words) {
        token += fmt::format("{:08x}", word);
    }
    return token;
}

ApiServer::ApiServer(Session& session, QObject* parent)
    : ApiServer(session, HttpLimits{}, parent) {}

ApiServer::ApiServer(Session& session, const HttpLimits& limits, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_limits(std::make_unique<HttpLimits>(limits)),
      m_state(std::make_shared<ApiState>()) {
    follow(session);
}

ApiServer::~ApiServer() {
    stop();
    m_state->setBackend(nullptr);
}

void ApiServer::follow(Session& session) {
    m_state->setBackend(session.backend());
    connect(&session, &Session::backendLeaving, this, [this] { m_state->setBackend(nullptr); });
    connect(&session, &Session::modelChanged, this,
            [this] { m_state->setBackend(m_session.backend()); });
    connect(&session, &Session::eventHappened, this,
            [this](const engine::Event& event) { m_arrived.push_back(event); });
    connect(&session, &Session::ticked, this, [this](const engine::Snapshot& figures) {
        m_state->update(std::exchange(m_arrived, {}), figures, raisedAlarms(m_session.alarms()));
    });
}

engine::Result<void> ApiServer::start(const ApiOptions& options) {
    if (m_server) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Busy, "The API is running already."});
    }
    auto token = tokenFor(options.tokenFile);
    if (!token) {
        return std::unexpected(token.error());
    }
    m_api = std::make_shared<Api>(m_state, *token);
    auto server = std::make_unique<HttpServer>(
        [api = m_api](const std::shared_ptr<HttpExchange>& exchange) { api->handle(exchange); },
        *m_limits, [api = m_api](const HttpRequest& head) { return api->refusal(head); });
    const auto port =
        server->start(options.port, [this](std::uint16_t used) { m_api->setPort(used); });
    if (!port) {
        m_api.reset();
        return std::unexpected(port.error());
    }
    m_server = std::move(server);
    m_port = *port;
    m_token = std::move(*token);
    Q_EMIT runningChanged();
    return {};
}

void ApiServer::stop() {
    if (!m_server) {
        return;
    }
    m_server.reset();
    m_api.reset();
    m_port = 0;
    m_token.clear();
    Q_EMIT runningChanged();
}

std::size_t ApiServer::connections() const {
    return m_server ? m_server->connections() : 0;
}

} // namespace app

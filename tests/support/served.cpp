#include "tests/support/served.h"

#include <QStandardPaths>

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <netinet/in.h>

namespace tests {

using nlohmann::json;

Served serve(const ProgramRunner& headway, const QStringList& more) {
    Served server;
    server.process = headway.start(QStringList{QStringLiteral("serve"), QStringLiteral("tiny.gguf"),
                                               QStringLiteral("--port"), QStringLiteral("0"),
                                               QStringLiteral("--json"),
                                               QStringLiteral("--threads"), QStringLiteral("1")} +
                                   more);
    QByteArray line;
    while (!line.endsWith('\n') && server.process->waitForReadyRead(60'000)) {
        line += server.process->readAllStandardOutput();
    }
    const json document = json::parse(line.toStdString(), nullptr, false);
    if (!document.is_object()) {
        qWarning() << line << server.process->readAllStandardError();
        return server;
    }
    server.port = document["port"];
    server.token = document.value("token", "");
    server.run = document.value("run_id", 0);
    server.runLog = document.value("run_log", "");
    return server;
}

int stop(Served& server) {
    if (server.process->state() != QProcess::Running) {
        return server.process->exitCode(); // it has no number: 0 would be this process's own group
    }
    ::kill(static_cast<pid_t>(server.process->processId()), SIGTERM);
    return ProgramRunner::wait(*server.process).status;
}

HttpAnswer post(const Served& server, const char* path, const json& body,
                const std::vector<std::string>& headers) {
    return ask(server.port, HttpClient::request("POST", path, server.token, body.dump(), headers));
}

HttpAnswer get(const Served& server, const char* path) {
    return ask(server.port, HttpClient::request("GET", path, server.token));
}

QString findProgram(const QString& name) {
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? QStandardPaths::findExecutable(name, {QStringLiteral("/usr/sbin")})
                           : found;
}

QString openaiPython() {
    QString python = qEnvironmentVariable("HEADWAY_OPENAI_PYTHON");
    if (python.isEmpty()) {
        python = findProgram(QStringLiteral("python3"));
    }
    if (python.isEmpty()) {
        return {};
    }
    QProcess probe;
    probe.start(python, {QStringLiteral("-c"), QStringLiteral("import openai")});
    return ProgramRunner::wait(probe).status == 0 ? python : QString();
}

std::uint16_t freePort() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    std::uint16_t port = 0;
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
        port = ntohs(address.sin_port);
    }
    ::close(listener);
    return port;
}

} // namespace tests

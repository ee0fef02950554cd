#include "tests/support/program.h"

#include <QProcessEnvironment>

namespace tests {

namespace {

constexpr int kPatienceMs = 60'000;

} // namespace

ProgramRunner::ProgramRunner(const QString& program)
    : m_program(QStringLiteral(HEADWAY_BINARY_DIR "/bin/") + program) {}

QString ProgramRunner::path(const QString& name) const {
    return m_folder.filePath(name);
}

void ProgramRunner::setVariable(const QString& name, const QString& value) {
    m_variables << name << value;
}

std::unique_ptr<QProcess> ProgramRunner::start(const QStringList& arguments) const {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) {
        environment.insert(QString::fromLatin1(name), m_folder.filePath(QStringLiteral("home")));
    }
    for (qsizetype at = 0; at + 1 < m_variables.size(); at += 2) {
        environment.insert(m_variables[at], m_variables[at + 1]);
    }
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(m_folder.path());
    process->start(m_program, arguments);
    return process;
}

ProgramEnd ProgramRunner::wait(QProcess& process) {
    process.closeWriteChannel();
    if (!process.waitForFinished(kPatienceMs)) {
        process.kill();
        process.waitForFinished();
        return {.status = -1, .out = {}, .err = "did not end"};
    }
    return {.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            .out = process.readAllStandardOutput(),
            .err = process.readAllStandardError()};
}

ProgramEnd ProgramRunner::run(const QStringList& arguments, const QByteArray& input) const {
    const auto process = start(arguments);
    process->write(input);
    return wait(*process);
}

} // namespace tests

// Runs one of the built programs in a folder of its own: no display, no file of the account.
#pragma once

#include <QByteArray>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace tests {

struct ProgramEnd {
    int status = -1; // -1: it crashed or did not end
    QByteArray out, err;
};

class ProgramRunner {
public:
    explicit ProgramRunner(const QString& program); // "headway", "headway-probe"

    QString path(const QString& name) const; // of a file in the folder
    // Waits for the end; `input` is what it reads.
    ProgramEnd run(const QStringList& arguments, const QByteArray& input = {}) const;
    // A program that goes on while the test does something.
    std::unique_ptr<QProcess> start(const QStringList& arguments) const;
    static ProgramEnd wait(QProcess& process);
    // Environment variables of the next starts.
    void setVariable(const QString& name, const QString& value);

private:
    QString m_program;
    QTemporaryDir m_folder;
    QStringList m_variables;
};

} // namespace tests

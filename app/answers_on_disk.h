// Keeps stored answers in a file while the setting answers.disk asks for it: they are taken up with
// a model, written once a minute where they are other ones and when the model goes, and removed
// when they are forgotten. Main thread; part of its session.
#pragma once

#include "engine/serving.h"

#include <QObject>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace app {

class Session;

class AnswersOnDisk final : public QObject {
    Q_OBJECT

public:
    AnswersOnDisk(Session& session, std::filesystem::path file);

    void write();  // now, where the file has other ones
    void forget(); // those of the model and those of the file

private:
    void takeUp();
    void writeSoon();
    engine::Serving* serving() const; // null where nothing stores answers
    bool isWanted() const;
    void removeFile();
    void tell(const char* kind, const std::string& reason);

    Session& m_session;
    const std::filesystem::path m_file;
    bool m_isReading = false;
    std::uint64_t m_generation = 0;         // grows when they are forgotten
    std::optional<std::uint64_t> m_written; // changes that the file has; empty: not taken up
};

} // namespace app

#include "app/answers_on_disk.h"

#include "app/background.h"
#include "app/session.h"
#include "app/store/answer_file.h"

#include <QTimer>

namespace app {

namespace {

constexpr std::chrono::minutes kWriteEvery{1};
// The file's texts are longer than what they stand for: names, numbers in digits.
constexpr std::uint64_t kFileByMemory = 8;

} // namespace

AnswersOnDisk::AnswersOnDisk(Session& session, std::filesystem::path file)
    : m_session(session),
      m_file(std::move(file)) {
    connect(&session, &Session::modelChanged, this, &AnswersOnDisk::takeUp);
    connect(&session, &Session::configChanged, this, &AnswersOnDisk::takeUp);
    connect(&session, &Session::backendLeaving, this, [this] {
        write();
        m_written.reset();
    });
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &AnswersOnDisk::writeSoon);
    timer->start(kWriteEvery);
}

engine::Serving* AnswersOnDisk::serving() const {
    return m_session.backend() != nullptr ? m_session.backend()->serving() : nullptr;
}

bool AnswersOnDisk::isWanted() const {
    return serving() != nullptr && m_session.config().requested.serving.keepsAnswersOnDisk;
}

void AnswersOnDisk::takeUp() {
    if (m_isReading || m_written || !isWanted()) {
        return;
    }
    m_isReading = true;
    const auto mib = static_cast<std::uint64_t>(m_session.config().requested.serving.answersMib);
    const std::uint64_t most = kFileByMemory * (mib << 20U);
    runInBackground(
        this, [file = m_file, most] { return readAnswers(file, most); },
        [this, reader = m_session.backend(), generation = m_generation](auto answers) {
            m_isReading = false;
            if (reader != m_session.backend() || generation != m_generation || !isWanted()) {
                takeUp();
                return;
            }
            if (answers) {
                serving()->addAnswers(std::move(*answers));
            } else {
                tell("answers_unread", answers.error().message);
            }
            m_written = serving()->servingStatus().answers.changes;
        });
}

void AnswersOnDisk::write() {
    if (!m_written || !isWanted()) {
        return;
    }
    const std::uint64_t changes = serving()->servingStatus().answers.changes;
    if (changes == m_written) {
        return;
    }
    if (const auto done = writeAnswers(m_file, serving()->keptAnswers()); !done) {
        tell("answers_unwritten", done.error().message);
        return;
    }
    m_written = changes;
}

void AnswersOnDisk::writeSoon() {
    if (!m_written || !isWanted()) {
        return;
    }
    const std::uint64_t changes = serving()->servingStatus().answers.changes;
    if (changes == m_written) {
        return;
    }
    m_written = changes;
    runInBackground(
        this,
        [file = m_file, answers = serving()->keptAnswers()] { return writeAnswers(file, answers); },
        [this, generation = m_generation](auto done) {
            if (generation != m_generation) {
                removeFile(); // what was written has been forgotten meanwhile
                if (m_written) {
                    m_written = 0; // and what is kept since is to be written
                }
            } else if (!done) {
                tell("answers_unwritten", done.error().message);
            }
        });
}

void AnswersOnDisk::forget() {
    ++m_generation;
    if (serving() != nullptr) {
        serving()->forgetAnswers();
        if (m_written) {
            m_written = serving()->servingStatus().answers.changes;
        }
    }
    removeFile();
}

void AnswersOnDisk::removeFile() {
    std::error_code ignored; // there may be none
    std::filesystem::remove(m_file, ignored);
}

void AnswersOnDisk::tell(const char* kind, const std::string& reason) {
    if (engine::Backend* backend = m_session.backend()) {
        backend->post(engine::EventSource::App, {.kind = kind, .values = {{"reason", reason}}});
    }
}

} // namespace app

#include "engine/base/failure.h"
#include "engine/base/mapped_file.h"
#include "tests/support/gguf_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using engine::ErrorCode;
using engine::LoadMode;
using engine::MappedFile;
namespace fs = std::filesystem;

class TstMappedFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void bothModesShowTheFilesBytes();
    void refusesWhatIsNoFileWithBytes();
    void aShrinkingFileReadsAsZerosAndIsRemembered();
    void aFileReadWholeDoesNotCare();
    void aFileReplacedByRenameStaysWhole();
    void releasedPagesComeBack();
    void otherFaultsStillEndTheProcess();
    void stopEndsReading();
    void movedFileKeepsItsBytes();

private:
    fs::path path(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }
    QTemporaryDir m_folder;
};

namespace {

std::string pattern(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) {
        text[i] = static_cast<char>(i * 31 + i / 251);
    }
    return text;
}

std::string_view viewOf(const MappedFile& file) {
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

ErrorCode codeOfOpening(const fs::path& file, LoadMode mode) {
    try {
        const MappedFile opened(file, mode);
    } catch (const engine::Failure& failure) {
        return failure.code();
    }
    return ErrorCode::Internal;
}

} // namespace

void TstMappedFile::initTestCase() {
    // Before the first mapping installs ours: the test library's own handler can't run in a child.
    std::signal(SIGBUS, SIG_DFL);
}

void TstMappedFile::bothModesShowTheFilesBytes() {
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{20'000'001}}) {
        const std::string content = pattern(size);
        tests::writeFile(path("some"), content);
        for (const LoadMode mode : {LoadMode::Mmap, LoadMode::Read}) {
            const MappedFile file(path("some"), mode);
            QVERIFY(viewOf(file) == content);
            QVERIFY(file.isWhole());
        }
    }
}

void TstMappedFile::refusesWhatIsNoFileWithBytes() {
    tests::writeFile(path("empty"), "");
    QCOMPARE(mkfifo(path("pipe").c_str(), 0600), 0);
    for (const LoadMode mode : {LoadMode::Mmap, LoadMode::Read}) {
        QVERIFY(codeOfOpening(path("missing"), mode) == ErrorCode::NotFound);
        QVERIFY(codeOfOpening(path("empty"), mode) == ErrorCode::Corrupt);
        QVERIFY(codeOfOpening(path("."), mode) == ErrorCode::Invalid);
        QVERIFY(codeOfOpening(path("pipe"), mode) == ErrorCode::Invalid);
        QVERIFY(codeOfOpening("/dev/zero", mode) == ErrorCode::Invalid);
    }
}

void TstMappedFile::aShrinkingFileReadsAsZerosAndIsRemembered() {
    constexpr std::size_t kPages = 64;
    const std::string content = pattern(kPages * 4096);
    tests::writeFile(path("shrinks"), content);
    tests::writeFile(path("other"), content);
    const MappedFile file(path("shrinks"), LoadMode::Mmap);
    const MappedFile other(path("other"), LoadMode::Mmap);
    fs::resize_file(path("shrinks"), 5000);
    QVERIFY2(!file.isWhole(), "seen by length before anything is touched");
    // The page that holds the new end is zero after it; all later ones fault.
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const char expected = i < 5000 ? content[i] : '\0';
        wrong += viewOf(file)[i] != expected ? 1 : 0;
    }
    QCOMPARE(wrong, std::size_t{0});
    fs::resize_file(path("shrinks"), content.size());
    QVERIFY2(!file.isWhole(), "a file that grew back has lost its bytes");
    QVERIFY(other.isWhole());
    QVERIFY(viewOf(other) == content);
    // A later mapping of the same file starts afresh.
    tests::writeFile(path("shrinks"), content);
    QVERIFY(MappedFile(path("shrinks"), LoadMode::Mmap).isWhole());
}

void TstMappedFile::aFileReadWholeDoesNotCare() {
    const std::string content = pattern(10'000);
    tests::writeFile(path("shrinks"), content);
    const MappedFile file(path("shrinks"), LoadMode::Read);
    fs::resize_file(path("shrinks"), 0);
    QVERIFY(file.isWhole());
    QVERIFY(viewOf(file) == content);
}

void TstMappedFile::aFileReplacedByRenameStaysWhole() {
    const std::string content = pattern(10'000);
    tests::writeFile(path("old"), content);
    const MappedFile file(path("old"), LoadMode::Mmap);
    tests::writeFile(path("new"), "short");
    fs::rename(path("new"), path("old"));
    QVERIFY(file.isWhole());
    QVERIFY(viewOf(file) == content);
}

void TstMappedFile::releasedPagesComeBack() {
    const std::string content = pattern(1'000'003);
    tests::writeFile(path("some"), content);
    for (const LoadMode mode : {LoadMode::Mmap, LoadMode::Read}) {
        const MappedFile file(path("some"), mode);
        QVERIFY(viewOf(file) == content);
        file.release(file.bytes());
        file.release(file.bytes().subspan(5, 10));
        file.release({});
        QVERIFY(viewOf(file) == content);
    }
}

namespace {

// True if `work` ended a child process that would otherwise have ended well.
template <class Work>
bool endsAChild(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        const int silent = ::open("/dev/null", O_WRONLY);
        dup2(silent, STDERR_FILENO); // a sanitizer's report of the fault
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

} // namespace

void TstMappedFile::otherFaultsStillEndTheProcess() {
    tests::writeFile(path("guarded"), pattern(9000));
    tests::writeFile(path("unguarded"), pattern(9000));
    const MappedFile guarded(path("guarded"), LoadMode::Mmap); // installs the handler
    QVERIFY(!endsAChild([] {}));
    QVERIFY(endsAChild([] { raise(SIGBUS); }));
    QVERIFY(endsAChild([this] {
        const int descriptor = ::open(path("unguarded").c_str(), O_RDONLY);
        const auto* const bytes = static_cast<const volatile char*>(
            mmap(nullptr, 9000, PROT_READ, MAP_PRIVATE, descriptor, 0));
        fs::resize_file(path("unguarded"), 0);
        static_cast<void>(bytes[0]);
    }));
}

void TstMappedFile::stopEndsReading() {
    tests::writeFile(path("some"), pattern(1000));
    std::stop_source stop;
    stop.request_stop();
    try {
        const MappedFile file(path("some"), LoadMode::Read, stop.get_token());
        QFAIL("nothing was thrown");
    } catch (const engine::Failure& failure) {
        QVERIFY(failure.code() == ErrorCode::Cancelled);
    }
}

void TstMappedFile::movedFileKeepsItsBytes() {
    const std::string content = pattern(9000);
    tests::writeFile(path("some"), content);
    std::vector<MappedFile> files;
    for (int i = 0; i < 20; ++i) {
        files.emplace_back(path("some"), i % 2 == 0 ? LoadMode::Mmap : LoadMode::Read);
    }
    for (const MappedFile& file : files) {
        QVERIFY(viewOf(file) == content);
    }
}

QTEST_APPLESS_MAIN(TstMappedFile)
#include "tst_mapped_file.moc"

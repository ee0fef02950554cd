// Stored answers outlive the console where the setting asks for it, and their file may hold
// anything.
#include "app/session.h"
#include "app/store/answer_file.h"
#include "tests/support/fake_backend.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace app;
using namespace std::chrono_literals;
using engine::KeptAnswer;

class TstAnswersOnDisk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void answersComeBackAsTheyWere();
    void onlyTheOwnerReadsThem();
    void foreignFilesAreNamed_data();
    void foreignFilesAreNamed();
    void answersOutliveTheConsole();
    void withoutTheSettingNothingIsWritten();
    void forgettingReachesTheDisk();
    void aFileThatCantBeWrittenIsAnEvent();

private:
    std::filesystem::path path(const char* name) const {
        return std::filesystem::path(m_folder->path().toStdString()) / name;
    }
    std::filesystem::path file() const { return path("answers.json"); }
    std::unique_ptr<Session> makeSession(bool onDisk);
    static bool ask(Session& session, const char* text); // whether a stored answer was given

    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

std::vector<KeptAnswer> someAnswers() {
    std::vector<KeptAnswer> answers;
    for (int i = 0; i < 3; ++i) {
        auto answer = std::make_shared<engine::StoredAnswer>();
        answer->pieces = {{.text = "中文 \"quoted\"\n", .ids = {1, 70'000}, .logprobs = {}},
                          {.text = "", .ids = {i}, .logprobs = {}}};
        answer->reason = i == 0 ? engine::FinishReason::Length : engine::FinishReason::Stop;
        answer->promptTokens = 3 + i;
        answer->outputTokens = 3;
        answers.push_back({.key = "key " + std::to_string(i),
                           .answer = std::move(answer),
                           .age = std::chrono::minutes(i)});
    }
    return answers;
}

void write(const std::filesystem::path& file, const QByteArray& text) {
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(text), text.size());
}

} // namespace

std::unique_ptr<Session> TstAnswersOnDisk::makeSession(bool onDisk) {
    auto session = std::make_unique<Session>(
        path("runs.db"),
        [](const std::filesystem::path&, const engine::EngineConfig& config,
           const std::function<void(const engine::LoadProgress&)>&,
           std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
            return engine::withServing({.main = std::make_unique<tests::FakeBackend>(config)});
        });
    engine::EngineConfig config;
    config.serving.usesAnswersAlways = true;
    config.serving.keepsAnswersOnDisk = onDisk;
    session->openModel(path("fake.gguf"), config);
    [&session] { QTRY_VERIFY(session->hasModel()); }();
    return session;
}

bool TstAnswersOnDisk::ask(Session& session, const char* text) {
    engine::Request request;
    request.prompt = std::string(text);
    request.maxTokens = 2;
    const auto stream = session.submit(std::move(request));
    while (stream->waitNext(100ms)) {
    }
    const auto record = stream->record();
    return record && (record->tags & static_cast<std::uint32_t>(engine::SampleTag::Cached)) != 0;
}

void TstAnswersOnDisk::answersComeBackAsTheyWere() {
    const std::vector<KeptAnswer> written = someAnswers();
    QVERIFY(writeAnswers(file(), written).has_value());
    const auto read = readAnswers(file(), 1U << 20U);
    QVERIFY(read.has_value());
    QCOMPARE(read->size(), written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        QCOMPARE((*read)[i].key, written[i].key);
        const engine::StoredAnswer& answer = *(*read)[i].answer;
        const engine::StoredAnswer& before = *written[i].answer;
        QCOMPARE(answer.pieces.size(), before.pieces.size());
        for (std::size_t k = 0; k < before.pieces.size(); ++k) {
            QCOMPARE(answer.pieces[k].text, before.pieces[k].text);
            QVERIFY(answer.pieces[k].ids == before.pieces[k].ids);
        }
        QVERIFY(answer.reason == before.reason);
        QCOMPARE(answer.promptTokens, before.promptTokens);
        QCOMPARE(answer.outputTokens, before.outputTokens);
        QVERIFY((*read)[i].age >= written[i].age && (*read)[i].age < written[i].age + 10s);
    }
    std::vector<KeptAnswer> odd = someAnswers();
    odd[1].key = "\xff no text";
    QVERIFY(writeAnswers(file(), odd).has_value());
    QCOMPARE(readAnswers(file(), 1U << 20U)->size(), 2U);
    QVERIFY(readAnswers(path("none.json"), 10)->empty());
}

void TstAnswersOnDisk::onlyTheOwnerReadsThem() {
    QVERIFY(writeAnswers(file(), someAnswers()).has_value());
    const auto mode = std::filesystem::status(file()).permissions();
    QVERIFY((mode & (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
            std::filesystem::perms::none);
}

void TstAnswersOnDisk::foreignFilesAreNamed_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addRow("empty") << QByteArray();
    QTest::addRow("words") << QByteArray("not json");
    QTest::addRow("list") << QByteArray("[1, 2]");
    QTest::addRow("other") << QByteArray(R"({"format": 7, "answers": {}})");
    QTest::addRow("version") << QByteArray(R"({"format": "headway-answers-2", "answers": []})");
    QTest::addRow("types") << QByteArray(
        R"({"format": "headway-answers-1", "answers": [{"key": 1, "pieces": [{}]}]})");
    QTest::addRow("ids") << QByteArray(
        R"({"format": "headway-answers-1", "answers": [{"key": "k", "kept_unix_ms": 0,)"
        R"("reason": "stop", "prompt_tokens": 1, "output_tokens": 1,)"
        R"("pieces": [{"text": "a", "ids": ["x"]}]}]})");
    QTest::addRow("deep") << QByteArray(R"({"format": "headway-answers-1", "answers": )") +
                                 QByteArray(100'000, '[');
    QTest::addRow("large") << QByteArray(R"({"format": "headway-answers-1", "answers": [)") +
                                  QByteArray(1 << 20, ' ') + QByteArray("]}");
}

void TstAnswersOnDisk::foreignFilesAreNamed() {
    QFETCH(QByteArray, text);
    write(file(), text);
    const auto read = readAnswers(file(), 500'000);
    QVERIFY(!read.has_value());
    QVERIFY(read.error().message.find("answers.json") != std::string::npos);
}

void TstAnswersOnDisk::answersOutliveTheConsole() {
    {
        const auto session = makeSession(true);
        QTest::qWait(300); // nothing to take up yet
        QVERIFY(!ask(*session, "what is it?"));
    }
    QVERIFY(std::filesystem::exists(file()));
    const auto session = makeSession(true);
    QTRY_VERIFY(session->servingStatus()->answers.entries == 1);
    QVERIFY(ask(*session, "what is it?"));
    QVERIFY(!ask(*session, "and that?"));
    session->openModel(path("other.gguf"), session->config().requested); // writes before it goes
    QTRY_COMPARE(readAnswers(file(), 1U << 20U)->size(), 2U);
    QTRY_VERIFY(session->servingStatus()->answers.entries == 2);
}

void TstAnswersOnDisk::withoutTheSettingNothingIsWritten() {
    {
        const auto session = makeSession(false);
        QVERIFY(!ask(*session, "what is it?"));
        QVERIFY(ask(*session, "what is it?"));
    }
    QVERIFY(!std::filesystem::exists(file()));
    QVERIFY(writeAnswers(file(), someAnswers()).has_value());
    const auto session = makeSession(false);
    QTest::qWait(300);
    QCOMPARE(session->servingStatus()->answers.entries, std::int64_t{0});
    QVERIFY(session->setField("answers.disk", "on").has_value()); // while it runs
    QTRY_COMPARE(session->servingStatus()->answers.entries, std::int64_t{3});
}

void TstAnswersOnDisk::forgettingReachesTheDisk() {
    QVERIFY(writeAnswers(file(), someAnswers()).has_value());
    {
        const auto session = makeSession(true);
        QTRY_COMPARE(session->servingStatus()->answers.entries, std::int64_t{3});
        session->forgetAnswers();
        QCOMPARE(session->servingStatus()->answers.entries, std::int64_t{0});
        QVERIFY(!std::filesystem::exists(file()));
    }
    QVERIFY(!std::filesystem::exists(file()));
}

void TstAnswersOnDisk::aFileThatCantBeWrittenIsAnEvent() {
    std::filesystem::create_directory(file());
    const auto session = makeSession(true);
    std::vector<std::string> kinds;
    connect(session.get(), &Session::eventHappened, this, [&kinds](const engine::Event& event) {
        if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
            kinds.push_back(notice->kind);
        }
    });
    QTRY_VERIFY(std::ranges::find(kinds, "answers_unread") != kinds.end());
    QVERIFY(!ask(*session, "what is it?")); // and is served all the same
}

QTEST_MAIN(TstAnswersOnDisk)
#include "tst_answers_on_disk.moc"

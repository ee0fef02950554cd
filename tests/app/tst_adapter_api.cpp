// Adapters over the local API, as clients of vLLM know them, on a real engine with a tiny model.
#include "app/api/api_server.h"
#include "app/session.h"
#include "tests/support/adapter_files.h"
#include "tests/support/http_client.h"

#include <QFloat16> // comparing JSON looks at it
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using tests::HttpAnswer;
using tests::HttpClient;

class TstAdapterApi : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void theyAreLoadedListedAskedAndUnloaded();
    void wrongCallsAreToldApart();
    void memoryIsShownBesideSeparateCopies();
    void withoutAModelThereAreNone();

private:
    HttpAnswer get(const std::string& path) {
        return tests::ask(m_api->port(), HttpClient::request("GET", path, m_api->token()));
    }
    HttpAnswer post(const std::string& path, const json& body) {
        return tests::ask(m_api->port(),
                          HttpClient::request("POST", path, m_api->token(), body.dump()));
    }
    HttpAnswer load(const std::string& name, const std::filesystem::path& path) {
        return post("/v1/load_lora_adapter", {{"lora_name", name}, {"lora_path", path.string()}});
    }
    HttpAnswer complete(const std::string& model) {
        return post("/v1/completions", {{"model", model},
                                        {"prompt", "some words"},
                                        {"max_tokens", 8},
                                        {"temperature", 0},
                                        {"ignore_eos", true}});
    }

    QTemporaryDir m_folder;
    std::filesystem::path m_root = m_folder.path().toStdString();
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<app::ApiServer> m_api;
};

void TstAdapterApi::init() {
    m_api.reset();
    m_session = std::make_unique<app::Session>(m_root / "runs.db");
    tests::writeTinyModel(m_root / "tiny.gguf");
    engine::EngineConfig config;
    config.threads = 1;
    config.checksQuality = false;
    m_session->openModel(m_root / "tiny.gguf", config);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->hasModel(), 60000);
    m_api = std::make_unique<app::ApiServer>(*m_session);
    QVERIFY(m_api->start({.port = 0}).has_value());
}

void TstAdapterApi::theyAreLoadedListedAskedAndUnloaded() {
    const HttpAnswer loaded = load("mine", tests::writeAdapter(m_root / "one", 1));
    QVERIFY2(loaded.status == 200, loaded.body.c_str());
    QCOMPARE(json::parse(loaded.body)["rank"], json(4));
    const json models = json::parse(get("/v1/models").body)["data"];
    QCOMPARE(models.size(), std::size_t(2));
    QCOMPARE(models[1]["id"], json("mine"));
    QCOMPARE(models[1]["parent"], models[0]["id"]);
    QCOMPARE(get("/v1/models/mine").status, 200);
    const json adapted = json::parse(complete("mine").body);
    const json plain = json::parse(complete("tiny").body);
    QCOMPARE(adapted["model"], json("mine"));
    QCOMPARE(plain["model"], json("tiny"));
    QVERIFY(adapted["choices"][0]["text"] != plain["choices"][0]["text"]);
    QCOMPARE(post("/v1/unload_lora_adapter", {{"lora_name", "mine"}}).status, 200);
    QCOMPARE(json::parse(get("/v1/models").body)["data"].size(), std::size_t(1));
    const HttpAnswer gone = complete("mine");
    QCOMPARE(gone.status, 404);
    QCOMPARE(json::parse(gone.body)["error"]["code"], json("model_not_found"));
}

void TstAdapterApi::wrongCallsAreToldApart() {
    QCOMPARE(load("gone", m_root / "gone").status, 404);
    QCOMPARE(post("/v1/load_lora_adapter", {{"lora_name", "x"}}).status, 400);
    QCOMPARE(post("/v1/load_lora_adapter", {{"lora_name", 3}, {"lora_path", "x"}}).status, 400);
    QCOMPARE(load("tiny", tests::writeAdapter(m_root / "one", 1)).status, 400);
    QCOMPARE(post("/v1/unload_lora_adapter", {{"lora_name", "x"}}).status, 404);
    QCOMPARE(load("twice", m_root / "one").status, 200);
    QCOMPARE(load("twice", m_root / "one").status, 400);
    const HttpAnswer model = load("model", m_root / "tiny.gguf");
    QCOMPARE(model.status, 400);
    QVERIFY2(model.body.find("this is no adapter") != std::string::npos, model.body.c_str());
}

void TstAdapterApi::memoryIsShownBesideSeparateCopies() {
    json memory = json::parse(get("/v1/adapters").body)["memory"];
    QVERIFY(!memory.contains("separate_bytes"));
    for (int i = 0; i < 3; ++i) {
        const std::string name = std::to_string(i);
        QCOMPARE(
            load(name, tests::writeAdapter(m_root / name, 10U + static_cast<unsigned>(i))).status,
            200);
    }
    const json told = json::parse(get("/v1/adapters").body);
    memory = told["memory"];
    const auto base = memory["base_bytes"].get<std::uint64_t>();
    const auto own = memory["adapter_bytes"].get<std::uint64_t>();
    QVERIFY(base > 0 && own > 0);
    QCOMPARE(told["adapters"].size(), std::size_t(3));
    QCOMPARE(memory["shared_bytes"].get<std::uint64_t>(), base + own);
    QCOMPARE(memory["separate_bytes"].get<std::uint64_t>(), 3 * base + own);
    QTRY_COMPARE(m_session->snapshot().adapterBytes, own);
}

void TstAdapterApi::withoutAModelThereAreNone() {
    app::Session empty(m_root / "empty.db");
    app::ApiServer api(empty);
    QVERIFY(api.start({.port = 0}).has_value());
    const auto ask = [&](const char* method, const char* path, const std::string& body) {
        return tests::ask(api.port(), HttpClient::request(method, path, api.token(), body)).status;
    };
    QCOMPARE(ask("GET", "/v1/adapters", ""), 503);
    QCOMPARE(ask("POST", "/v1/load_lora_adapter", R"({"lora_name": "x", "lora_path": "y"})"), 503);
    QCOMPARE(ask("POST", "/v1/unload_lora_adapter", R"({"lora_name": "x"})"), 503);
}

QTEST_GUILESS_MAIN(TstAdapterApi)
#include "tst_adapter_api.moc"

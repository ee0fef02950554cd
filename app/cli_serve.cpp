// `headway serve`: the local API without a window, recorded like any other run.
#include "app/api/api_server.h"
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/command/setting_flags.h"
#include "app/interrupt.h"
#include "app/labels.h"
#include "app/observe/default_model.h"
#include "app/progress_line.h"
#include "app/session.h"
#include "app/unwritten.h"
#include "engine/adapters.h"

#include <QCoreApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

struct ServeArguments {
    std::string model, tokenFile, record, lightModel;
    std::vector<std::string> adapters; // NAME=PATH
    std::uint16_t port = ApiOptions{}.port;
    bool asJson = false;
    bool isUnrecorded = false;
    SettingFlags settings;
};

// The model, the server, and how they end. Main thread.
class HeadlessServer final : public QObject {
public:
    HeadlessServer(const ServeArguments& arguments, std::unique_ptr<RunStore> runLog)
        : m_arguments(arguments),
          m_session(std::move(runLog)),
          m_api(m_session) {
        connect(&m_session, &Session::loadProgressed, this,
                [this](const QString& phase, qint64 done, qint64 total) {
                    m_progress.showLoading(phase, done, total);
                });
        connect(&m_session, &Session::loadFailed, this,
                [this](const QString& reason) { end(ExitStatus::Failed, reason.toStdString()); });
        connect(&m_session, &Session::modelChanged, this, [this] { begin(); });
        connect(&m_session, &Session::eventHappened, this, [this](const engine::Event& event) {
            const auto* notice = std::get_if<engine::Notice>(&event.body);
            if (notice != nullptr && notice->kind == "light_model_failed") {
                m_progress.clear();
                printNote(eventText(event).toStdString());
            }
        });
        connect(&m_session, &Session::recordingProblemChanged, this, [this] {
            if (const QString problem = m_session.recordingProblem(); !problem.isEmpty()) {
                printNote("Recording: " + problem.toStdString());
            }
        });
    }

    ExitStatus exec(const std::filesystem::path& model, const engine::EngineConfig& config) {
        m_session.setLightModel(m_arguments.lightModel);
        m_session.openModel(model, config);
        {
            const InterruptWatch watch([this] { interrupt(); });
            QCoreApplication::exec();
            m_progress.clear();
            m_api.stop();
            settle();
            m_session.stopRecording();
        }
        if (const auto lost = waitUntilWritten(m_session)) {
            end(ExitStatus::Failed, *lost);
        }
        return m_status;
    }

private:
    // What was under way has been cancelled: its rows are to be in the log as well.
    void settle() {
        constexpr std::chrono::milliseconds kFiguresAge{250}; // then they are of after the end
        constexpr std::chrono::milliseconds kPatience{2000};
        const auto begin = engine::Clock::now();
        const auto isBusy = [this] {
            const engine::Snapshot figures = m_session.snapshot();
            return figures.running + figures.waiting > 0;
        };
        for (auto passed = engine::Nanoseconds(0);
             m_session.currentRun() && passed < kPatience && (passed < kFiguresAge || isBusy());
             passed = engine::Clock::now() - begin) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        }
    }

    void begin() {
        if (!m_session.hasModel()) {
            end(ExitStatus::Interrupted, "Interrupted while the model was loading.");
            return;
        }
        loadAdapters(0);
    }

    // One after the other, then the server begins.
    void loadAdapters(std::size_t next) {
        if (next == m_arguments.adapters.size()) {
            serve();
            return;
        }
        const std::string& given = m_arguments.adapters[next];
        const std::size_t equals = given.find('=');
        engine::Adapters* adapters = m_session.backend()->adapters();
        if (equals == std::string::npos || adapters == nullptr) {
            end(ExitStatus::Usage, equals == std::string::npos
                                       ? fmt::format("--adapter {}: write NAME=PATH.", given)
                                       : "The loaded model takes no adapters.");
            return;
        }
        adapters->loadAdapter(
            given.substr(0, equals), given.substr(equals + 1),
            [this, next, given](const engine::Result<engine::AdapterInfo>& result) {
                QMetaObject::invokeMethod(
                    this,
                    [this, next, given, problem = result ? "" : result.error().message] {
                        if (!problem.empty()) {
                            end(ExitStatus::Failed,
                                fmt::format("--adapter {}: {}", given, problem));
                        } else {
                            loadAdapters(next + 1);
                        }
                    },
                    Qt::QueuedConnection);
            });
    }

    void serve() {
        m_progress.clear();
        if (!m_arguments.isUnrecorded) {
            if (const auto run = m_session.startRecording(QStringLiteral("serve")); !run) {
                printNote("Nothing is recorded: " + run.error().message);
            }
        }
        const auto started =
            m_api.start({.port = m_arguments.port, .tokenFile = m_arguments.tokenFile});
        if (!started) {
            end(ExitStatus::Failed, started.error().message);
            return;
        }
        announce();
    }

    void announce() const {
        const std::string url = fmt::format("http://127.0.0.1:{}/v1", m_api.port());
        const std::string model = m_session.capabilities().modelName;
        if (m_arguments.asJson) {
            nlohmann::ordered_json document = {
                {"url", url}, {"port", m_api.port()}, {"model", model}};
            if (m_arguments.tokenFile.empty()) {
                document["token"] = m_api.token();
            } else {
                document["token_file"] = m_arguments.tokenFile;
            }
            if (const auto run = m_session.currentRun()) {
                document["run_id"] = *run;
                document["run_log"] = m_session.runLog().string();
            }
            printOut(document.dump() + "\n");
            return;
        }
        printOut(fmt::format("Serving {} at {}\n{}", model, url,
                             m_arguments.tokenFile.empty()
                                 ? fmt::format("Token: {}\n", m_api.token())
                                 : fmt::format("The token is in {}\n", m_arguments.tokenFile)));
    }

    void interrupt() {
        if (m_session.isLoading()) {
            m_session.cancelLoading();
        } else {
            end(ExitStatus::Done, {}); // how a server ends
        }
    }

    void end(ExitStatus status, const std::string& message) {
        m_status = status;
        if (!message.empty()) {
            m_progress.clear();
            printNote("headway serve: " + message);
        }
        QCoreApplication::quit();
    }

    const ServeArguments& m_arguments;
    Session m_session;
    ApiServer m_api;
    ProgressLine m_progress;
    ExitStatus m_status = ExitStatus::Failed;
};

ExitStatus runServe(const ServeArguments& arguments) {
    engine::EngineConfig config = SettingFlags::applied(arguments.settings.changed());
    if (!arguments.lightModel.empty()) {
        config.serving.lightModel = engine::LightModelChoice::Chosen;
        if (config.serving.degradation == engine::DegradationMode::Off) {
            printNote("The light model answers at level 2, and degradation is off: it is loaded "
                      "when that is switched on (--degradation auto).");
        }
    }
    const std::filesystem::path model = modelToOpen(arguments.model, "headway serve MODEL");
    std::string name = "headway";
    char* argumentList[] = {name.data(), nullptr};
    int count = 1;
    const QCoreApplication application(count, argumentList);
    HeadlessServer server(arguments, usableRunLog(arguments.record));
    return server.exec(model, config);
}

} // namespace

void declareServe(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<ServeArguments>();
    command.add_option("MODEL", arguments->model,
                       "Model file or folder (default: the default model)");
    command.add_option("--port", arguments->port,
                       fmt::format("Port on the loopback interface, 0 for a free one (default {})",
                                   arguments->port));
    command.add_option("--token-file", arguments->tokenFile,
                       "File of the token: read where it exists, written where not (default: a "
                       "random token that is printed)");
    command
        .add_option("--light-model", arguments->lightModel,
                    "Model that answers at level 2 (sets --light chosen)")
        ->check(CLI::ExistingPath);
    command
        .add_option("--adapter", arguments->adapters,
                    "LoRA adapter over the model, NAME=PATH (a PEFT folder or a GGUF file); "
                    "requests name it as their model. Repeatable")
        ->allow_extra_args(false);
    command.add_option("--record", arguments->record,
                       "Database to record into (default: the user's run log)");
    command.add_flag("--no-record", arguments->isUnrecorded, "Record nothing");
    command.add_flag("--json", arguments->asJson,
                     "Where it listens, as one JSON document on standard output");
    arguments->settings.declare(command);
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runServe(*arguments); }; });
}

} // namespace app

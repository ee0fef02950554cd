// `headway serve` as a process on a tiny model, and what clients of it need. Main thread.
#pragma once

#include "tests/support/http_client.h"
#include "tests/support/program.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tests {

struct Served {
    std::unique_ptr<QProcess> process;
    std::uint16_t port = 0; // 0: it did not start, which was said
    std::string token;
    std::int64_t run = 0;
    std::string runLog;
};

// The model tiny.gguf of the runner's folder, on a free port, with one thread.
Served serve(const ProgramRunner& headway, const QStringList& more = {});
int stop(Served& server); // its exit status

HttpAnswer post(const Served& server, const char* path, const nlohmann::json& body,
                const std::vector<std::string>& headers = {});
HttpAnswer get(const Served& server, const char* path);

// Where a program is, also where only root looks for it; empty where it is not.
QString findProgram(const QString& name);
// A Python with the official client of the OpenAI API: the one HEADWAY_OPENAI_PYTHON names, or the
// first one there is. Empty where that has no such package.
QString openaiPython();
// Of a listener that was there a moment ago.
std::uint16_t freePort();

} // namespace tests

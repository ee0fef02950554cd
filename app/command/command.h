// What the command lines of both programs share: how commands are declared, run and ended. No Qt.
// Main thread.
#pragma once

#include "engine/error.h"

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace CLI {
class App;
}

namespace app {

enum class ExitStatus : int { Done = 0, Failed = 1, Usage = 2, NotMet = 3, Interrupted = 130 };

// Ends a command with a status and a message that says what to do. Thrown inside, printed at the
// door.
class CommandError : public std::runtime_error {
public:
    CommandError(ExitStatus status, const std::string& message)
        : std::runtime_error(message),
          m_status(status) {}
    ExitStatus status() const { return m_status; }

private:
    ExitStatus m_status;
};

template <class T>
T orFail(engine::Result<T> result) {
    if (!result) {
        throw CommandError(ExitStatus::Failed, result.error().message);
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// What the parsed command does; empty until its callback ran.
using ChosenCommand = std::function<ExitStatus()>;

struct CommandRow {
    const char* name;
    const char* summary;
    const char* example; // shown by --help
    // Adds the options; on parsing, puts what to do into `chosen`.
    void (*declare)(CLI::App& command, ChosenCommand& chosen);
};

// Parses, runs the chosen command, or `withoutCommand` where none was named, and returns the exit
// status. `root` carries the program's name and own options.
int runCommands(CLI::App& root, std::span<const CommandRow> table, int argc,
                const char* const* argv, const std::function<int()>& withoutCommand);

// A document on standard output.
void printOut(const std::string& text);
// A line on standard error.
void printNote(const std::string& line);

} // namespace app

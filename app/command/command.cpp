#include "app/command/command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace app {

namespace {

int asStatus(ExitStatus status) {
    return static_cast<int>(status);
}

// A full disk or a closed pipe shows here: what was printed is then not what was asked for.
int checkedOutput(int status) {
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!isWritten && status == 0) {
        printNote("The output could not be written; is the disk full?");
        return asStatus(ExitStatus::Failed);
    }
    return status;
}

} // namespace

int runCommands(CLI::App& root, std::span<const CommandRow> table, int argc,
                const char* const* argv, const std::function<int()>& withoutCommand) {
    root.require_subcommand(0, 1);
    ChosenCommand chosen;
    for (const CommandRow& row : table) {
        CLI::App* command = root.add_subcommand(row.name, row.summary);
        command->footer(fmt::format("Example:\n  {}", row.example));
        row.declare(*command, chosen);
    }
    const auto called = [&] {
        const auto used = root.get_subcommands();
        return used.empty() ? root.get_name() : root.get_name() + " " + used.front()->get_name();
    };
    try {
        root.parse(argc, argv);
        return checkedOutput(chosen ? asStatus(chosen()) : withoutCommand());
    } catch (const CLI::Success& help) {
        root.exit(help); // prints help or version
        return checkedOutput(asStatus(ExitStatus::Done));
    } catch (const CLI::ExtrasError& error) {
        // A misspelt command looks like a first argument that something follows.
        const bool isCommand = !root.get_subcommands().empty() || argc < 2 || *argv[1] == '-';
        printNote(isCommand ? fmt::format("{}: {} ({} --help lists what it takes)", called(),
                                          error.what(), called())
                            : fmt::format("{}: \"{}\" is no command ({} --help lists them)",
                                          called(), argv[1], called()));
        return asStatus(ExitStatus::Usage);
    } catch (const CLI::ParseError& error) {
        printNote(fmt::format("{}: {} ({} --help lists what it takes)", called(), error.what(),
                              called()));
        return asStatus(ExitStatus::Usage);
    } catch (const CommandError& error) {
        printNote(fmt::format("{}: {}", called(), error.what()));
        return asStatus(error.status());
    } catch (const std::exception& error) {
        printNote(fmt::format("{}: {}", called(), error.what()));
        return asStatus(ExitStatus::Failed);
    }
}

void printOut(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout); // a program that goes on may have said all it will say
}

void printNote(const std::string& line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
}

} // namespace app

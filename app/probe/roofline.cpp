// `headway-probe roofline`: the most this machine can read, copy and multiply.
#include "app/command/text_table.h"
#include "app/probe/probe_commands.h"
#include "kernels/ceilings.h"
#include "kernels/cores.h"
#include "kernels/ops.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <memory>

namespace app {

namespace {

struct RooflineArguments {
    std::string device = "cpu", isa;
    int threads = 0;
    bool asJson = false;
};

struct Row {
    const char* name;
    const char* unit; // of a second, in text
    std::optional<double> perSecond;
};

std::array<Row, 5> rowsOf(const kernels::Ceilings& ceilings) {
    return {Row{"read", "GB", ceilings.readBytesPerSecond},
            Row{"copy", "GB", ceilings.copyBytesPerSecond},
            Row{"int8 products", "GOP", ceilings.int8PerSecond},
            Row{"bf16 products", "GFLOP", ceilings.bf16PerSecond},
            Row{"f32 products", "GFLOP", ceilings.f32PerSecond}};
}

std::string tableText(const std::array<Row, 5>& rows) {
    TextTable table({{"ceiling"}, {"per second", Align::Right}, {""}});
    for (const Row& row : rows) {
        table.add({row.name, row.perSecond ? fmt::format("{:.1f}", *row.perSecond * 1e-9) : "–",
                   row.perSecond ? row.unit : "this instruction set has none"});
    }
    return table.text();
}

ExitStatus roofline(const RooflineArguments& arguments) {
    if (arguments.device != "cpu") {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("--device {}: this build computes on the CPU only; leave "
                                       "the option out.",
                                       arguments.device));
    }
    const int threads = arguments.threads > 0 ? arguments.threads : kernels::usableCores();
    kernels::ThreadPool pool(threads);
    const kernels::Machine machine = kernels::describeMachine();
    const std::string isa = kernels::makeCpuOps(pool, arguments.isa)->isa();
    const auto rows = rowsOf(kernels::measureCeilings(pool, arguments.isa));
    if (!arguments.asJson) {
        printOut(
            fmt::format("{}, {}, {} threads\n\n{}", machine.cpu, isa, threads, tableText(rows)));
        return ExitStatus::Done;
    }
    nlohmann::ordered_json document;
    document["machine"] = {
        {"cpu", machine.cpu}, {"flags", machine.flags}, {"isa", isa}, {"threads", threads}};
    document["results"] = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
        nlohmann::ordered_json result = {{"name", row.name}, {"per_s", nullptr}};
        if (row.perSecond) {
            result["per_s"] = *row.perSecond;
        }
        document["results"].push_back(std::move(result));
    }
    printOut(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return ExitStatus::Done;
}

} // namespace

void declareRoofline(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<RooflineArguments>();
    command.add_option("--device", arguments->device, "cpu")->capture_default_str();
    addIsa(command, arguments->isa);
    command.add_option("--threads", arguments->threads, "0: every core")
        ->check(CLI::Range(0, 1024));
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return roofline(*arguments); }; });
}

} // namespace app

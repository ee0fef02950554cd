// `headway-probe inspect`: what a model file holds and needs, from its headers.
#include "app/command/text_table.h"
#include "app/probe/probe_commands.h"
#include "engine/model_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace app {

namespace {

std::string inspectionJson(const engine::ModelInspection& model) {
    nlohmann::ordered_json document;
    document["name"] = model.name;
    document["architecture"] = model.architecture;
    document["license"] = model.license;
    document["file_bytes"] = model.fileBytes;
    document["parameters"] = model.parameters;
    document["shape"] = {{"layers", model.layers},
                         {"hidden", model.hidden},
                         {"heads", model.heads},
                         {"kv_heads", model.kvHeads},
                         {"head_dim", model.headDim},
                         {"feed_forward", model.feedForward},
                         {"vocabulary", model.vocabulary},
                         {"context", model.context},
                         {"tied_embedding", model.tiedEmbedding}};
    document["tokenizer"] = {{"model", model.tokenizerModel},
                             {"pre_tokenizer", model.preTokenizer},
                             {"chat_format", model.chatFormat}};
    for (const engine::FormatGroup& group : model.groups) {
        document["tensors"].push_back({{"role", group.role},
                                       {"format", group.format},
                                       {"count", group.tensors},
                                       {"bytes", group.bytes}});
    }
    for (const engine::MemoryNeed& need : model.memory) {
        document["memory"].push_back({{"context_tokens", need.contextTokens},
                                      {"weights_bytes", need.weightsBytes},
                                      {"kv_bytes", need.kvBytes}});
    }
    document["supported"] = !model.unsupported.has_value();
    if (model.unsupported) {
        document["reason"] = *model.unsupported;
    }
    for (const auto& [key, value] : model.metadata) {
        document["metadata"][key] = value;
    }
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string inspectionText(const engine::ModelInspection& model) {
    std::string text = fmt::format("{}\n", model.name);
    const auto line = [&](const char* what, const std::string& value) {
        if (!value.empty()) {
            text += fmt::format("  {:<13} {}\n", what, value);
        }
    };
    line("architecture", model.architecture);
    line("license", model.license);
    line("parameters", fmt::format("{:.1f} million", static_cast<double>(model.parameters) / 1e6));
    line("file", bytesText(model.fileBytes));
    line("shape", fmt::format("{} layers, hidden {}, {} heads of {}, {} for keys and values, "
                              "feed-forward {}",
                              model.layers, model.hidden, model.heads, model.headDim, model.kvHeads,
                              model.feedForward));
    line("vocabulary", fmt::format("{}{}", model.vocabulary,
                                   model.tiedEmbedding ? ", output tied to the embedding" : ""));
    line("context", fmt::format("{} tokens", model.context));
    line("tokenizer", model.tokenizerModel + " / " + model.preTokenizer);
    line("chat format", model.chatFormat);
    line("supported", model.unsupported ? "no: " + *model.unsupported : "yes");
    TextTable tensors(
        {{"\n  tensors"}, {"format"}, {"count", Align::Right}, {"size", Align::Right}});
    for (const engine::FormatGroup& group : model.groups) {
        tensors.add({"  " + group.role, group.format, std::to_string(group.tensors),
                     bytesText(group.bytes)});
    }
    TextTable memory(
        {{"\n  context", Align::Right}, {"weights", Align::Right}, {"one sequence", Align::Right}});
    for (const engine::MemoryNeed& need : model.memory) {
        memory.add({std::to_string(need.contextTokens), bytesText(need.weightsBytes),
                    bytesText(need.kvBytes)});
    }
    return text + tensors.text() + memory.text();
}

struct InspectArguments {
    std::string model;
    bool asJson = false;
};

} // namespace

void declareInspect(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<InspectArguments>();
    command.add_option("MODEL", arguments->model, "Model file (GGUF)")->required();
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback([arguments, &chosen] {
        chosen = [arguments] {
            const auto model = orFail(engine::inspectModel(arguments->model));
            printOut(arguments->asJson ? inspectionJson(model) + "\n" : inspectionText(model));
            return ExitStatus::Done;
        };
    });
}

} // namespace app

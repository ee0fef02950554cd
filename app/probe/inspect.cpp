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

nlohmann::ordered_json needsJson(const std::vector<engine::PrecisionNeed>& needs) {
    auto list = nlohmann::ordered_json::array();
    for (const engine::PrecisionNeed& need : needs) {
        list.push_back({{"precision", need.precision},
                        {"bytes", static_cast<std::uint64_t>(need.bytes)},
                        {"available", need.isAvailable}});
    }
    return list;
}

std::string inspectionJson(const engine::ModelInspection& model) {
    nlohmann::ordered_json document;
    document["name"] = model.name;
    document["architecture"] = model.architecture;
    document["license"] = model.license;
    document["container"] = model.container;
    document["files"] = model.files;
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
                         {"experts", model.experts},
                         {"active_experts", model.activeExperts},
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
    document["weights"] = needsJson(model.weights);
    for (const engine::MemoryNeed& need : model.memory) {
        document["memory"].push_back({{"context_tokens", need.contextTokens},
                                      {"weights_bytes", need.weightsBytes},
                                      {"kv_bytes", need.kvBytes},
                                      {"kv", needsJson(need.kv)}});
    }
    document["supported"] = !model.unsupported.has_value();
    if (model.unsupported) {
        document["reason"] = *model.unsupported;
        document["reasons"] = model.problems;
    }
    document["notices"] = model.notices;
    for (const auto& [key, value] : model.metadata) {
        document["metadata"][key] = value;
    }
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string tensorsText(const engine::ModelInspection& model) {
    TextTable tensors(
        {{"\n  tensors"}, {"format"}, {"count", Align::Right}, {"size", Align::Right}});
    for (const engine::FormatGroup& group : model.groups) {
        tensors.add({"  " + group.role, group.format, std::to_string(group.tensors),
                     bytesText(group.bytes)});
    }
    return tensors.text();
}

std::string needText(const engine::PrecisionNeed& need) {
    return bytesText(static_cast<std::uint64_t>(need.bytes));
}

std::string weightsText(const engine::ModelInspection& model) {
    if (model.weights.empty()) {
        return {};
    }
    TextTable weights({{"\n  weights as"}, {"size", Align::Right}, {"in this build"}});
    for (const engine::PrecisionNeed& need : model.weights) {
        weights.add({"  " + need.precision, needText(need), need.isAvailable ? "yes" : "no"});
    }
    return weights.text();
}

// Memory of weights in the file's precision and of one sequence, a column a precision of the cache.
std::string memoryText(const engine::ModelInspection& model) {
    if (model.memory.empty()) {
        return {};
    }
    std::vector<TextTable::Column> columns{{"\n  context", Align::Right},
                                           {"weights", Align::Right}};
    for (const engine::PrecisionNeed& need : model.memory.front().kv) {
        columns.push_back({"KV " + need.precision, Align::Right});
    }
    columns.push_back({"weights + KV", Align::Right});
    TextTable memory(std::move(columns));
    for (const engine::MemoryNeed& need : model.memory) {
        std::vector<std::string> row{std::to_string(need.contextTokens),
                                     bytesText(need.weightsBytes)};
        for (const engine::PrecisionNeed& kv : need.kv) {
            row.push_back(needText(kv));
        }
        row.push_back(bytesText(need.weightsBytes + need.kvBytes));
        memory.add(std::move(row));
    }
    return memory.text();
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
    line("file", fmt::format("{}, {}{}", bytesText(model.fileBytes), model.container,
                             model.files > 1 ? fmt::format(" in {} files", model.files) : ""));
    line("shape", fmt::format("{} layers, hidden {}, {} heads of {}, {} for keys and values, "
                              "feed-forward {}",
                              model.layers, model.hidden, model.heads, model.headDim, model.kvHeads,
                              model.feedForward));
    if (model.experts > 0) {
        line("experts", fmt::format("{}, {} for a token", model.experts, model.activeExperts));
    }
    line("vocabulary", fmt::format("{}{}", model.vocabulary,
                                   model.tiedEmbedding ? ", output tied to the embedding" : ""));
    line("context", fmt::format("{} tokens", model.context));
    line("tokenizer", model.tokenizerModel + " / " + model.preTokenizer);
    line("chat format", model.chatFormat);
    line("supported", model.problems.empty() ? "yes" : "no");
    for (const std::string& problem : model.problems) {
        line("", problem);
    }
    for (const std::string& notice : model.notices) {
        line("note", notice);
    }
    return text + tensorsText(model) + weightsText(model) + memoryText(model);
}

struct InspectArguments {
    std::string model;
    bool asJson = false;
};

} // namespace

void declareInspect(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<InspectArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
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

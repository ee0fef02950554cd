#include "app/probe/probe_commands.h"

#include <CLI/CLI.hpp>

#include <array>

namespace {

constexpr std::array kCommands = {
    app::CommandRow{"inspect", "What a model file holds and needs; reads headers only",
                    "headway-probe inspect model.gguf", app::declareInspect},
    app::CommandRow{"generate", "One answer, streamed; by itself without warming up",
                    "headway-probe generate model.gguf --chat --prompt \"Why is the sky blue?\"",
                    app::declareGenerate},
    app::CommandRow{"logits", "Raw F32 logits of given token ids",
                    "headway-probe logits model.gguf --ids 1,2,3 --all --out logits.f32",
                    app::declareLogits},
    app::CommandRow{"tokenize", "Token ids of a text",
                    "headway-probe tokenize model.gguf --text \"Hello\" --json",
                    app::declareTokenize},
    app::CommandRow{"detokenize", "Text of token ids",
                    "headway-probe detokenize model.gguf --ids 19556,28", app::declareDetokenize},
    app::CommandRow{"chat-format", "The prompt that a chat format makes of messages",
                    "headway-probe chat-format --format deepseek-v3.2 --messages chat.json",
                    app::declareChatFormat},
    app::CommandRow{"tokenize-bench", "Latency, speed and memory of encoding prompts",
                    "headway-probe tokenize-bench model.gguf --texts folder",
                    app::declareTokenizeBench},
    app::CommandRow{"synth", "Writes a valid random model of a known shape",
                    "headway-probe synth --shape smollm2-135m --out synthetic.gguf",
                    app::declareSynth},
    app::CommandRow{"bench", "Tokens a second: prefill, decode, batched, at depth",
                    "headway-probe bench model.gguf -p 512 -n 128 -b 1,8,16", app::declareBench},
    app::CommandRow{"quality", "What a precision costs: perplexity, KL, agreement over texts",
                    "headway-probe quality model.gguf --text book.txt --kv-precision int8",
                    app::declareQuality},
    app::CommandRow{"check", "Every operator against the double-precision reference",
                    "headway-probe check", app::declareCheck},
    app::CommandRow{"roofline", "What this machine can read, copy and multiply at most",
                    "headway-probe roofline", app::declareRoofline},
};

} // namespace

int main(int argc, char** argv) {
    CLI::App root("Looks into models and measures this machine, without a window.",
                  "headway-probe");
    root.set_version_flag("--version", "headway-probe " HEADWAY_VERSION);
    root.footer("Example:\n  headway-probe inspect model.gguf");
    return app::runCommands(root, kCommands, argc, argv, []() -> int {
        throw app::CommandError(app::ExitStatus::Usage,
                                "Name a command; headway-probe --help lists them.");
    });
}

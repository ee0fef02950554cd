#include "engine/tokenizer/json_source.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_keys.h"
#include "engine/tokenizer/pattern_splitter.h"
#include "engine/tokenizer/pretokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

struct BehaviorName {
    std::string_view name;
    SplitBehavior behavior;
};

constexpr std::array kBehaviors = {
    BehaviorName{"Isolated", SplitBehavior::Isolated},
    BehaviorName{"Removed", SplitBehavior::Removed},
    BehaviorName{"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
    BehaviorName{"MergedWithNext", SplitBehavior::MergedWithNext},
    BehaviorName{"Contiguous", SplitBehavior::Contiguous},
};

SplitBehavior behaviorOf(const std::string& name) {
    const auto* const found = std::ranges::find(kBehaviors, name, &BehaviorName::name);
    if (found == kBehaviors.end()) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The split behavior \"{}\" of this model's tokenizer is not "
                                  "supported.",
                                  displayText(name)));
    }
    return found->behavior;
}

// The steps of tokenizer.json, which the checkpoint keeps as lists of equal length.
std::vector<SplitStep> stepsOf(const Checkpoint& checkpoint,
                               const std::vector<std::string>& patterns) {
    const auto flags = [&](const char* key) {
        const MetadataValue* const value = checkpoint.metadata(key);
        const auto* const array = value == nullptr ? nullptr : std::get_if<MetadataArray>(value);
        return array == nullptr ? nullptr : std::get_if<std::vector<bool>>(array);
    };
    const auto* const behaviors = checkpoint.strings(hf::kSplitBehaviorsKey);
    const auto* const literals = flags(hf::kSplitLiteralsKey);
    const auto* const inverts = flags(hf::kSplitInvertsKey);
    std::vector<SplitStep> steps;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        const bool isWhole = behaviors != nullptr && literals != nullptr && inverts != nullptr &&
                             i < behaviors->size() && i < literals->size() && i < inverts->size();
        steps.push_back(
            {.pattern = patterns[i],
             .isLiteral = isWhole && (*literals)[i],
             .behavior = isWhole ? behaviorOf((*behaviors)[i]) : SplitBehavior::Isolated,
             .inverts = isWhole && (*inverts)[i]});
    }
    return steps;
}

} // namespace

bool useJsonRules(const Checkpoint& checkpoint, TokenizerSource& source) {
    const auto* const patterns = checkpoint.strings(hf::kSplitPatternsKey);
    if (patterns == nullptr) {
        return false;
    }
    const std::vector<SplitStep> steps = stepsOf(checkpoint, *patterns);
    const PreTokenizer* const family = findPreTokenizer(steps);
    if (!steps.empty()) {
        source.splitter = makeSplitter(steps);
    }
    source.preName = steps.empty()       ? "whole texts"
                     : family == nullptr ? "own pattern"
                                         : std::string(family->name);
    source.normalizes = checkpoint.text(hf::kNormalizerKey) == "NFC";
    source.takesWholeWords = checkpoint.boolean(hf::kIgnoreMergesKey).value_or(false);
    return true;
}

} // namespace engine

// What a tokenizer.json says of how text is split, as the checkpoint's metadata has it step by
// step. Loading thread.
#pragma once

#include "engine/tokenizer/tokenizer_source.h"

namespace engine {

// Fills the source's splitter and rules where the checkpoint has such steps; false where it has
// none. Throws Failure for patterns that can't be.
bool useJsonRules(const Checkpoint& checkpoint, TokenizerSource& source);

} // namespace engine

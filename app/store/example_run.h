// The recording that is part of the program: a short experiment on the default model, to be looked
// at before a model is there. Any thread.
#pragma once

#include "engine/error.h"

#include <filesystem>

namespace app {

// Its log, written into the user's cache folder where it is not there yet.
engine::Result<std::filesystem::path> exampleLog();

} // namespace app

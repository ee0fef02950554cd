// Rows of the field table that stand in a file of their own.
#pragma once

#include "engine/config.h"

namespace engine {

std::span<const Field> numberFields(); // weights, keys and values, attention

} // namespace engine

// How much memory a model takes in each precision and context, from its headers. Any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/model_file.h"

#include <cstdint>
#include <string>

namespace engine {

// A number, or the largest of an array with one a layer. 0 where it is absent.
std::int64_t integerOrLargest(const Checkpoint& checkpoint, const std::string& key);

// Fills weights and memory of an inspection whose numbers have been read.
void addMemoryNeeds(const Checkpoint& checkpoint, ModelInspection& result);

} // namespace engine

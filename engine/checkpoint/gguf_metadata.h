// The key/value part of a GGUF header. See gguf_layout.h.
#pragma once

#include "engine/checkpoint/byte_reader.h"
#include "engine/checkpoint/gguf_layout.h"

#include <cstdint>

namespace engine::gguf {

// Reads `count` pairs into keys, metadata and alignment of `layout`.
void readMetadata(ByteReader& reader, std::uint64_t count, Layout& layout);

} // namespace engine::gguf

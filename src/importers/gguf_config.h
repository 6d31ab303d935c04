// GGUF keys -> canonical config, per architecture. Meanings of the keys: ggml's docs/gguf.md and llama.cpp's loader.
#pragma once

#include <cstdint>

#include "importers/gguf_metadata.h"
#include "models/config.h"

namespace hyalite {

// What only the tensor table tells.
struct GgufTensorFacts {
  bool has_output = false, has_rope_freqs = false, has_qkv_bias = false, has_output_bias = false;
  int64_t vocab = 0;  // rows of the embedding; 0 where it is absent
};

// Throws Error{unsupported} for an architecture or option that Hyalite does not know, Error{invalid_model} for keys that are absent, of the
// wrong type or in contradiction. Both name file and key. The result has passed check_config.
ModelConfig config_from_gguf(const GgufMetadata& metadata, const GgufTensorFacts& facts);

}  // namespace hyalite

// The tokenizer that a GGUF file describes in its "tokenizer.*" keys.
#pragma once

#include "base/tokenizer_spec.h"
#include "importers/gguf_metadata.h"

namespace hyalite {

// Reads models "gpt2" (byte-level BPE with a published pre-tokenizer, by its name), "llama" (SentencePiece BPE), "t5" (Unigram) and
// "gemma4" (merge-list BPE). Throws Error{unsupported} naming another model or an unknown pre-tokenizer, Error{invalid_model} naming the
// key that is missing or wrong.
TokenizerSpec import_gguf_tokenizer(const GgufMetadata& metadata);

}  // namespace hyalite

// A model's config and tokenizer as the keys of a GGUF file, in the words that llama.cpp's loader reads.
#pragma once

#include "importers/importer.h"
#include "workbench/quantize/gguf_pairs.h"

namespace hyalite {

// Throws Error{unsupported} for what GGUF has no word for in this family; `where` names the checkpoint.
void add_config_keys(const ModelConfig& config, const std::string& where, GgufPairs& pairs);

// The vocabulary is filled with unused entries up to `rows`, the rows of the embedding. Throws Error{unsupported} for a tokenizer whose
// rules no GGUF file can name; adds to `remarks` what llama.cpp does otherwise.
void add_tokenizer_keys(const TokenizerSpec& spec, int64_t rows, const std::string& where, GgufPairs& pairs,
                        std::vector<std::string>& remarks);

// The frequencies' divisors of llama3 scaling, which GGUF keeps as a tensor. REQUIRES: rope.scaling == RopeScaling::llama3.
std::vector<float> llama3_factors(const RopeConfig& rope);

}  // namespace hyalite

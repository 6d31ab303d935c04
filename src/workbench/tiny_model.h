// Tiny random checkpoints in Hugging Face's layout: config.json, model.safetensors (fp32), tokenizer.json, tokenizer_config.json. They
// load in transformers as in Hyalite, and stand for their family in tests: every feature of the family is in use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/json.h"

namespace hyalite {

// "llama" (untied head, llama3 rope scaling), "qwen2" (biases of q, k and v, tied head), "qwen3" (norms of q and k, heads wider than
// hidden / heads), "gemma3" (sliding and full layers with rotary bases of their own, four norms).
std::span<const std::string_view> tiny_families();

// config.json of a family's tiny model. REQUIRES: one of tiny_families().
Json tiny_config(std::string_view family);

// A byte-level BPE tokenizer with a few English merges, the same for all: what tokenizer.json and tokenizer_config.json hold.
struct TinyTokenizer {
  Json tokenizer, config;
  int64_t vocab = 0;  // ids
};
TinyTokenizer tiny_tokenizer();

struct TinyModelSummary {
  int64_t tensors = 0, parameters = 0;
};

// Writes a checkpoint for any config.json that Hyalite imports; a tiny model that is there already is replaced. A tensor's values depend on
// the seed, its name and its shape only, and are the same on every machine. They are scaled so that logits spread like a trained model's
// (a standard deviation of 1 to 3).
// Throws the importer's errors for the config, Error{invalid_argument} where its vocabulary is smaller than the tokenizer's or something
// else is at `directory`, Error{io}.
TinyModelSummary write_tiny_model(const std::filesystem::path& directory, Json config, uint64_t seed);

}  // namespace hyalite

// Any checkpoint as a GGUF file would have it: keys, and tensors under their names there in their order there. A GGUF checkpoint is taken
// as it is, a Hugging Face one is rewritten.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "importers/gguf_shards.h"
#include "importers/importer.h"
#include "workbench/quantize/gguf_writer.h"

namespace hyalite {

struct GgufCheckpointTensor {
  GgufTensorHeader header;
  std::string canonical;   // name in the model; empty where the model does not use it
  bool is_matrix = false;  // of a linear op or an embedding: what a quantiser may take
  const uint8_t* data = nullptr;
};

struct GgufCheckpoint {
  GgufPairs pairs;
  std::vector<GgufCheckpointTensor> tensors;
  uint64_t alignment = kGgufDefaultAlignment;
  ImportedModel model;

  // What the tensors' data lies in, beside model.weights.
  std::vector<GgufShard> shards;
  std::vector<std::vector<uint8_t>> owned;
};

// Throws the importer's errors, Error{unsupported} for a model that GGUF has no words for.
GgufCheckpoint open_as_gguf(const std::filesystem::path& path);

}  // namespace hyalite

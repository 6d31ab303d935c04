// Importers: bytes -> canonical config, tokenizer rules and named tensors. One file a format, one row in importers.inc. File formats
// and family spellings end here; the result never says what it was made from, except in TensorSource and `remarks`.
//
// Every importer treats its input as hostile: counts, sizes, offsets and nesting are checked before memory is taken for them; what is
// wrong is refused with one Error{invalid_model} (or {unsupported}, for an unknown architecture, tokenizer or tensor type) whose `where`
// names file and field.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/tokenizer_spec.h"
#include "importers/source_files.h"
#include "models/config.h"
#include "tensor/weight_store.h"

namespace hyalite {

struct ImportedModel {
  ModelConfig config;
  TokenizerSpec tokenizer;
  WeightStore weights;               // exactly the tensors of tensor_specs(config), checked for shape
  SourceFiles files;                 // all that were read
  std::string format;                // "gguf", "huggingface": for people only
  std::vector<std::string> remarks;  // what was converted, ignored or assumed
};

struct ImportOptions {
  bool weights = true;  // false: config and tokenizer only (tokenize, detokenize)
};

// One row of importers.inc.
struct Importer {
  const char* name;
  bool (*recognizes)(const std::filesystem::path& path);
  ImportedModel (*import)(const std::filesystem::path& path, const ImportOptions& options);
};

#define IMPORTER(name) extern const Importer importer_##name;
#include "importers/importers.inc"
#undef IMPORTER

// Finds the importer that recognises `path` and runs it. Throws Error{invalid_model} where none does.
ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace hyalite

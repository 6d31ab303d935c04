#include "cli/tokenizer_source.h"

#include "base/tokenizer_spec_json.h"
#include "compile/artifact.h"
#include "importers/importer.h"

namespace hyalite {

TokenizerSpec load_tokenizer_spec(const std::filesystem::path& model) {
  if (!is_artifact(model)) return import_model(model, {.weights = false}).tokenizer;
  std::string path = (model / "tokenizer.json").string();
  return tokenizer_spec_from_json(read_json_file(path), path);
}

}  // namespace hyalite

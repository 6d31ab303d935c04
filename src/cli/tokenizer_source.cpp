#include "cli/tokenizer_source.h"

#include "compile/artifact.h"
#include "compile/artifact_view.h"
#include "importers/importer.h"

namespace hyalite {

TokenizerSpec load_tokenizer_spec(const std::filesystem::path& model) {
  if (!is_artifact(model)) return import_model(model, {.weights = false}).tokenizer;
  return ArtifactView(model).tokenizer();
}

}  // namespace hyalite

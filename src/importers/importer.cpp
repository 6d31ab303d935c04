#include "importers/importer.h"

#include <fstream>

#include "base/error.h"
#include "ops/reference.h"
#include "ops/rope_attrs.h"

namespace hyalite {

namespace {

const Importer* const kImporters[] = {
#define IMPORTER(name) &importer_##name,
#include "importers/importers.inc"
#undef IMPORTER
};

std::string names_of_formats() {
  std::string names;
  for (const Importer* importer : kImporters) names += (names.empty() ? "" : ", ") + std::string(importer->name);
  return names;
}

[[noreturn]] void refuse(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  std::string why = "is of no format that Hyalite imports (" + names_of_formats() + ")";
  if (!fs::exists(status)) {
    why = error && error != std::errc::no_such_file_or_directory ? "cannot be opened: " + error.message() : "no such file or directory";
  } else if (!fs::is_regular_file(status) && !fs::is_directory(status)) {
    why = "is neither a regular file nor a directory";
  } else if (fs::is_regular_file(status) && fs::file_size(path, error) == 0) {
    why = "is an empty file";
  } else if (fs::is_regular_file(status) && !std::ifstream(path)) {
    why = "cannot be opened for reading";
  } else if (fs::is_directory(status)) {
    why = "has no config.json, so it is no model directory";
  }
  throw Error(ErrorCode::invalid_model, path.string(), why);
}

void check_rope_factors(const WeightStore& weights) {
  const WeightStore::Entry* factors = weights.find("rope_factors");
  if (!factors) return;
  const FloatVector values(weights.view("rope_factors"));
  if (const std::string fault = fault_of_factors({values.data(), static_cast<size_t>(factors->type.dims[0].value())}); !fault.empty())
    throw Error(ErrorCode::invalid_model, factors->source.file + ": tensor " + factors->source.tensor, fault);
}

}  // namespace

ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options) {
  for (const Importer* importer : kImporters) {
    if (!importer->recognizes(path)) continue;
    ImportedModel model = importer->import(path, options);
    check_rope_factors(model.weights);
    return model;
  }
  refuse(path);
}

}  // namespace hyalite

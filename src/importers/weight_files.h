// The weight files of a model directory: model.safetensors or model.npz, or the shards that an index names.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "importers/found_tensor.h"
#include "importers/source_files.h"

namespace hyalite {

struct WeightFiles {
  std::map<std::string, FoundTensor> tensors;  // by their name in the file
  std::optional<Error> fault;  // bytes that belong to no tensor: to be thrown where no tensor is missed, whose name says more
};

// The names of the tensors of which `used` names none, sorted.
std::vector<std::string> unused_names(const WeightFiles& files, const std::vector<std::string>& used);

// Adds what was read to `files`. Throws Error{invalid_model} where there are no weights, an index names a file outside the directory or one
// that is not there (with the number of tensors that are lost), or is stale: a tensor is not in the file that it says.
WeightFiles open_weight_files(const std::filesystem::path& directory, SourceFiles& files);

}  // namespace hyalite

// The weights of an artifact: one file of aligned blocks and an index of it in artifact.json.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "base/json_reader.h"
#include "plan/weight_set.h"

namespace hyalite {

// Writes every weight of the set to `path` at a 64-byte boundary and returns the index: bytes, digest of the file, entries[{name, dtype,
// dims, layout, offset, bytes}]. Throws Error{io} naming the path, Error{cancelled} once `cancel` is set (it may be null).
Json write_weight_file(const WeightSet& weights, const std::filesystem::path& path, const std::atomic<bool>* cancel);

// Maps the file that `index` describes. Throws Error{invalid_model} where the index is broken, leads out of the file, or has another
// digest, Error{cancelled}.
std::shared_ptr<WeightSet> map_weight_file(const std::filesystem::path& path, const JsonReader& index, const std::atomic<bool>* cancel);

// Throws Error{invalid_model} naming the field where the index cannot be read.
void check_weight_index(const JsonReader& index);

}  // namespace hyalite

// Hyalite's packed integer weights (tensor/affine.h), made from any model that can be imported. This is what `compile --quant` and
// `quantize --type int8|int4|int4_awq` do:
//
//   ImportedModel model = import_model(path);
//   PackedOptions options{.type = PackedType::int4_awq};
//   ActivationStatistics seen = measure_activations(model, calibration_ids, 512, compile_options);   // int4_awq only
//   options.activations = &seen;
//   PackedReport report = quantize_packed(model, options, pool);      // the model now holds packed weights and can be compiled
//   write_packed_checkpoint(model, options, directory);               // packed_checkpoint.h: a directory that import_model reads
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "importers/importer.h"
#include "workbench/activation_statistics.h"

namespace hyalite {

enum class PackedType { int8, int4, int4_awq };
std::optional<PackedType> packed_type_named(std::string_view name);
std::string_view name_of(PackedType type);

struct PackedOptions {
  PackedType type = PackedType::int8;
  int64_t group = 128;  // of int4: 32, 64 or 128 columns share a scale; a matrix whose rows that does not divide gets the next smaller
  const ActivationStatistics* activations = nullptr;  // of the same model; int4_awq needs it
};

struct PackedTensor {
  std::string name;  // canonical
  DType from, to;
  double error = 0;  // root mean square of what rounding changed, relative to that of the values
};

struct PackedReport {
  std::vector<PackedTensor> tensors;  // every matrix, in the order of tensor_specs
  int64_t bytes_before = 0, bytes_after = 0;
};

// Replaces every matrix of `model`; vectors stay, but int4_awq scales norms. Tables of the vocabulary (token_embd, output) become int8
// where the others become int4. What cannot be as asked (rows that are no multiple of 32, a smaller group) falls back and adds to
// model.remarks. Throws Error{invalid_model} naming a tensor whose values are not finite or too large, Error{invalid_argument} where
// activations or a matrix in them are missing, Error{cancelled} as the pool does.
PackedReport quantize_packed(ImportedModel& model, const PackedOptions& options, ThreadPool& pool);

}  // namespace hyalite

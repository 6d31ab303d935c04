// How much each matrix suffers from quantisation, as the KL of the logits on a text, and the recipe that spends a size where it helps most.
#pragma once

#include "workbench/quantize/quantize.h"

namespace hyalite {

// One format that a matrix could have.
struct Candidate {
  DType dtype = DType::f32;
  uint64_t bytes = 0;
  double kl = 0;  // nats a token: measured for the probe's format, else scaled from it by the squared weighted error
};

struct TensorSensitivity {
  std::string tensor;  // canonical name
  uint64_t source_bytes = 0;
  DType probe = DType::f32;           // the format that was measured
  double probe_kl = 0;                // KL(model as it is || model with this matrix alone in the probe's format)
  std::vector<Candidate> candidates;  // by size; each errs less than the smaller ones

  // What the probe's format costs for what it saves.
  double kl_per_megabyte_saved() const;
};

struct SweepOptions {
  std::vector<DType> candidates;
  double target_bits = 0;  // a weight, over all tensors
  int64_t context = 256;   // tokens in a window of the text
  int64_t windows = 2;     // at most
};

// Runs the model once for each matrix. The most sensitive come first. `quantize` gives the importance and the search of errors.
std::vector<TensorSensitivity> measure_sensitivity(const GgufCheckpoint& checkpoint, const SweepOptions& sweep,
                                                   std::span<const int32_t> ids, const QuantizeOptions& quantize, CompileOptions compile,
                                                   const std::function<void()>& tensor_done = {});

// One rule a matrix: begins with the smallest formats and, again and again, gives the matrix that gains most KL a byte its next format, as
// long as all tensors together stay within the target. Throws Error{invalid_argument} where the smallest do not.
std::vector<RecipeRule> recipe_within(const GgufCheckpoint& checkpoint, const std::vector<TensorSensitivity>& tensors, double target_bits);

}  // namespace hyalite

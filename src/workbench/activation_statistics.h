// What the inputs of a model's matrices look like over a text: for each matrix y = x w^T the mean of x^2 and of |x| by column of w. Columns
// that carry large values matter more to the result, which is what quantisers weigh errors with.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace hyalite {

struct ColumnStatistics {
  std::vector<double> mean_square, mean_magnitude;  // by column
  int64_t rows = 0;                                 // that were counted
};
using ActivationStatistics = std::map<std::string, ColumnStatistics, std::less<>>;  // by canonical name of the matrix

// Runs the text in windows of `context` tokens through the model on the planned path, without fusions, and counts every token. A tied table
// is counted as the head. `options` gives machine, threads and numerics. Throws the compiler's errors, Error{invalid_argument} where the
// text has no whole window, Error{non_finite_logits} naming a matrix whose input is not finite, Error{cancelled}.
ActivationStatistics measure_activations(ImportedModel model, std::span<const int32_t> ids, int64_t context, CompileOptions options,
                                         const std::function<void()>& window_done = {});

}  // namespace hyalite

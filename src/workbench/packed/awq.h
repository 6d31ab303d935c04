// Activation-aware weight scaling (Lin et al., 2023, "AWQ", arXiv:2306.00978): columns that meet large activations are multiplied by s
// before they are rounded, so that they keep more precision, and what makes the activations is divided by s. s = mean|x|^alpha; alpha is
// searched for the least output error. Scales fold into the norm or the matrix that comes before, so the graph stays the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "importers/importer.h"
#include "workbench/activation_statistics.h"

namespace hyalite {

// What to multiply a tensor's rows (or a vector's elements) and columns by; empty: nothing.
struct TensorScales {
  std::vector<float> rows, columns;
};
using ScalesByTensor = std::map<std::string, TensorScales, std::less<>>;

// Throws Error{invalid_argument} naming a matrix that `all` lacks or has another width for.
const ColumnStatistics& statistics_of(const ActivationStatistics& all, const std::string& name, int64_t columns);

// Searches each group of matrices that share an input: q, k, v behind their norm; output behind v; gate, up behind their norm; down behind
// up. `formats` gives what each matrix is rounded to; a group with one that is not int4 takes no part. The same for any number of threads.
// Throws what statistics_of does.
ScalesByTensor search_awq(const ImportedModel& model, const std::map<std::string, DType>& formats, const ActivationStatistics& activations,
                          ThreadPool& pool);

}  // namespace hyalite

// What a tuned choice is filed under: a problem in words, so that every model with the same problem profits and a person can read the file.
#pragma once

#include <string>
#include <string_view>

#include "device/machine.h"
#include "ops/numerics.h"
#include "ops/op_spec.h"

namespace hyalite {

// What else decides how long a problem takes: what may be used, and by how many.
struct ProblemScope {
  IsaLevel isa;
  Numerics numerics;
  int threads = 1;
};

// "1", "2-8", "9-64" or "65+": steps whose rows lie in one range share a choice.
std::string_view row_range(int64_t rows);

// "matmul f32[2-8 x 576] q8_0[1536 x 576] -> f32[2-8 x 1536] rows16 activations=q8, avx512 deterministic 2 threads". Leaves out what does
// not change the work: real numbers among the attributes, the number of the layer, the length of the cache. `layout` is that of the weight
// matrices; empty: they lie in rows, or there are none.
std::string problem_key(const OpSpec& op, const Problem& problem, std::string_view layout, const ProblemScope& scope);

}  // namespace hyalite

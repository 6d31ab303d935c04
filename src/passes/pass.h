// What a pass is: one constant row, a pure function of the graph and the context. It edits through the Rewriter alone, leaves a graph that
// verifies, changes nothing when run again, and says in remarks what it matched and what it refused and why.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/numerics.h"
#include "passes/rewriter.h"
#include "tensor/weight_store.h"

namespace hyalite {

// What the model is compiled for; plain data, so that passes/ sees no device.
struct Target {
  int64_t last_level_cache_bytes = 0;  // of one socket; 0: unknown
  Numerics numerics = Numerics::deterministic;
  std::vector<DType> multiplied;  // formats that kernels multiply by as they are stored; matrices of others are converted
  std::vector<DType> screened;    // formats of which the head can be read coarsely: those with a layout planes16
};

// What a pass may look at besides the graph. Immutable while a pipeline runs.
struct PassContext {
  Target target;
  const WeightStore* weights = nullptr;  // values of weights, for folding; null where only the graph is at hand
};

struct Pass {
  std::string_view name;                                  // "qkv-fusion": names the trace entry, the diff file and the tests
  std::string_view summary;                               // one sentence
  void (*run)(Rewriter& rw, const PassContext& context);  // on each graph of the module in turn
  // Specialisation: before the pass runs, the graph @model is replaced by a copy under each of these names.
  std::span<const std::string_view> split_into = {};
  bool fusion = false;  // left out where nothing is to be fused
};

}  // namespace hyalite

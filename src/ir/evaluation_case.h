// Reproducible inputs for a graph: what the pass manager validates rewrites with, and tests compare executions with. Owns ids, positions,
// page tables and cache pages; every layer's cache follows from the graph's attention ops.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/evaluate.h"

namespace hyalite {

class EvaluationCase {
 public:
  // Two sequences of 5 and 3 tokens with empty caches; logits of the last token of each.
  static EvaluationCase prefill(const Graph& graph, uint64_t seed = 1, DType cache_dtype = DType::f32);
  // Two sequences of one token each at position 10, whose caches hold pseudo-random keys and values at positions 0 to 9; both rows' logits.
  static EvaluationCase decode(const Graph& graph, uint64_t seed = 1, DType cache_dtype = DType::f32);
  // Any other batch: `tokens[s]` tokens of sequence s behind `cached[s]` positions that are filled with pseudo-random values.
  EvaluationCase(const Graph& graph, const std::vector<int>& tokens, const std::vector<int>& cached, uint64_t seed,
                 DType cache_dtype = DType::f32);

  EvaluationCase(EvaluationCase&&) = default;
  EvaluationCase(const EvaluationCase&) = delete;
  EvaluationCase& operator=(const EvaluationCase&) = delete;

  // Views of this case's memory, valid while it lives and is not moved. Evaluating appends to the caches.
  EvalInputs inputs() const;
  const BatchView& batch() const { return batch_; }
  const std::vector<CacheView>& caches() const { return caches_; }

 private:
  void make_batch(const std::vector<int>& tokens, const std::vector<int>& cached);
  void make_caches(const Graph& graph, const std::vector<int>& cached, uint64_t seed, DType dtype);

  std::vector<int32_t> ids_, positions_, sequence_of_, logits_rows_, pages_;
  std::vector<PageTable> tables_;
  std::vector<CacheView> caches_;
  std::vector<std::vector<uint8_t>> pools_;  // by layer
  BatchView batch_;
};

}  // namespace hyalite

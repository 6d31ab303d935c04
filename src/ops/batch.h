// What a step works on besides tensors: the flat batch (T tokens of B sequences, L of them with logits) and the KV cache of each layer.
// Plain data, filled by runtime/ (or by the graph evaluator), read by op evaluation and kernels.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace hyalite {

// What one layer keeps per token. Layers with equal specs share page tables (a cache group).
// Later kinds (latent, compressed entries, recurrent state) become further enumerators with their own view.
struct CacheSpec {
  enum class Kind : uint8_t { paged, sliding_window };
  Kind kind = Kind::paged;
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  int32_t window = 0;        // sliding_window: a token sees itself and the window - 1 before it; 0 for paged
  DType dtype = DType::f16;  // f32, f16, bf16 or q8_0 (ops/paged_cache.h)
  bool operator==(const CacheSpec&) const = default;
};

inline constexpr int kPageTokens = 64;  // positions per page

// Pages of one sequence in one cache group. Position p lies in page pages[(p / kPageTokens) % count]: a full-attention group has a page
// for each position block (count covers the sequence), a sliding-window group reuses a ring.
struct PageTable {
  const int32_t* pages = nullptr;
  int32_t count = 0;
};

struct BatchView {
  int32_t tokens = 0, sequences = 0, logits_rows = 0, cache_groups = 0;
  const int32_t* positions = nullptr;    // [tokens] absolute position of each token, 0-based; consecutive within a sequence
  const int32_t* sequence_of = nullptr;  // [tokens]
  const int32_t* logits_row = nullptr;   // [logits_rows] token indices, ascending
  const PageTable* tables = nullptr;     // [cache_groups][sequences]
  bool top_only = false;                 // of each row of logits, only the largest are wanted: lm_head
};

// The pages of one layer. Inside a page, for each kv head in turn: keys transposed [head_dim][kPageTokens], then values
// [kPageTokens][head_dim] (scores of 16 positions are one vector, a weighted sum of values another), then scales where there are any.
struct CacheView {
  uint8_t* data = nullptr;  // page 0 of this layer
  int64_t page_bytes = 0;   // page_bytes_of(spec) in ops/paged_cache.h
  int32_t group = 0;        // row of BatchView::tables
  CacheSpec spec;
};

}  // namespace hyalite

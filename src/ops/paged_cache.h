// The paged KV cache of a layer: sizes, and reference access. Layout: ops/batch.h. In q8_0 keys and values are int8 codes, and behind them
// in each head follow the f32 scales of the keys [kPageTokens] and those of the values [kPageTokens]: an element is code * scale of its
// position. (llama.cpp's q8_0 has a scale for every 32 elements; here one serves the head_dim elements of a head.)
#pragma once

#include <cstdint>
#include <vector>

#include "ops/batch.h"
#include "ops/op_spec.h"

namespace hyalite {

bool is_cache_format(DType dtype);

// The largest sizes of a cache, and of the attention of a model: bytes of a page stay far from the end of 64 bits.
inline constexpr int64_t kMaxKvHeads = 1 << 16, kMaxHeadDim = 1 << 14;

// Bytes of one kv head in a page, and of a page. REQUIRES: the spec is within those sizes.
int64_t head_bytes_of(const CacheSpec& spec);
int64_t page_bytes_of(const CacheSpec& spec);

// Bytes that a step with attributes kv_heads and head_dim writes to the cache of its layer; of f16 where the cache is not known.
double appended_bytes(const Problem& problem);

// First byte of kv head `head` in the page that holds `position` of `sequence`.
uint8_t* head_of_page(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head);

// Writes kv head `head` of every token of the batch (k and v: f32 [tokens, kv_heads * head_dim]) at the token's position.
void append_head(const BatchView& batch, const CacheView& cache, const float* k, const float* v, int32_t head);

// One page of one kv head as fp32: keys [head_dim][kPageTokens], then values [kPageTokens][head_dim].
class HeadPage {
 public:
  // Decodes the page that holds `position`.
  HeadPage(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head);

  // scores[i] = q . key of the page's position i, for all kPageTokens of them, written or not.
  void scores(const float* q, float* scores) const;
  const std::vector<float>& values() const { return values_; }
  const float* value(int64_t slot) const { return values_.data() + (kPageTokens + slot) * head_dim_; }

 private:
  int64_t head_dim_;
  std::vector<float> values_;
};

}  // namespace hyalite

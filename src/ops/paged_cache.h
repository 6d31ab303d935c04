// Reference access to a layer's paged KV cache. Layout: ops/batch.h.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/batch.h"

namespace hyalite {

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
  const float* value(int64_t slot) const { return values_.data() + (kPageTokens + slot) * head_dim_; }

 private:
  int64_t head_dim_;
  std::vector<float> values_;
};

}  // namespace hyalite

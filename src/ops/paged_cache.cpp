#include "ops/paged_cache.h"

#include <algorithm>

#include "base/error.h"
#include "ops/reference.h"
#include "tensor/encode.h"

namespace hyalite {

uint8_t* head_of_page(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head) {
  const PageTable& table = batch.tables[int64_t{cache.group} * batch.sequences + sequence];
  HYALITE_CHECK(table.count > 0, "sequence " + std::to_string(sequence) + " has no pages");
  const int32_t page = table.pages[position / kPageTokens % table.count];
  return cache.data + page * cache.page_bytes + head * (cache.page_bytes / cache.spec.kv_heads);
}

void append_head(const BatchView& batch, const CacheView& cache, const float* k, const float* v, int32_t head) {
  const int64_t d = cache.spec.head_dim, columns = d * cache.spec.kv_heads, element = format_of(cache.spec.dtype).block_bytes;
  for (int32_t t = 0; t < batch.tokens; ++t) {
    const int64_t slot = batch.positions[t] % kPageTokens, at = t * columns + head * d;
    uint8_t* keys = head_of_page(batch, cache, batch.sequence_of[t], batch.positions[t], head);
    for (int64_t i = 0; i < d; ++i) encode(cache.spec.dtype, k + at + i, 1, keys + (i * kPageTokens + slot) * element);
    encode(cache.spec.dtype, v + at, d, keys + (kPageTokens + slot) * d * element);
  }
}

HeadPage::HeadPage(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head)
    : head_dim_(cache.spec.head_dim), values_(2 * kPageTokens * head_dim_) {
  format_of(cache.spec.dtype).decode(head_of_page(batch, cache, sequence, position, head), 2 * kPageTokens * head_dim_, values_.data());
}

void HeadPage::scores(const float* q, float* scores) const {
  std::fill(scores, scores + kPageTokens, 0.0f);
  for (int64_t i = 0; i < head_dim_; ++i) add_scaled(scores, values_.data() + i * kPageTokens, q[i], kPageTokens);
}

}  // namespace hyalite

#include "ops/paged_cache.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "ops/reference.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

int64_t element_bytes(DType dtype) {
  return dtype == DType::q8_0 ? 1 : format_of(dtype).block_bytes;
}

// What one position holds in q8_0. A scale is the largest magnitude over 127; rows that are (nearly) zero have scale 0, rows that are not
// finite have scale NaN, both with codes of 0.
struct Codes {
  float scale = 0;
  std::vector<int8_t> codes;
};

Codes codes_of(const float* x, int64_t n) {
  constexpr float nothing = 1e-30f;
  Codes result{0, std::vector<int8_t>(n)};
  float largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) result.scale = NAN;
    largest = std::max(largest, std::abs(x[i]));
  }
  if (std::isnan(result.scale) || largest < nothing) return result;
  result.scale = largest / 127;
  for (int64_t i = 0; i < n; ++i) result.codes[i] = static_cast<int8_t>(std::nearbyint(x[i] * (127 / largest)));
  return result;
}

// Writes n values to elements first, first + stride, ... of a head, and in q8_0 their scale to `scale`.
void write(DType dtype, const float* x, int64_t n, uint8_t* head, int64_t first, int64_t stride, uint8_t* scale) {
  if (dtype == DType::q8_0) {
    const Codes codes = codes_of(x, n);
    for (int64_t i = 0; i < n; ++i) head[first + i * stride] = static_cast<uint8_t>(codes.codes[i]);
    std::memcpy(scale, &codes.scale, sizeof(float));
    return;
  }
  const int64_t bytes = element_bytes(dtype);
  for (int64_t i = 0; i < n; ++i) encode(dtype, x + i, 1, head + (first + i * stride) * bytes);
}

}  // namespace

bool is_cache_format(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::q8_0;
}

int64_t head_bytes_of(const CacheSpec& spec) {
  const int64_t scales = spec.dtype == DType::q8_0 ? sizeof(float) : 0;
  return 2 * kPageTokens * (spec.head_dim * element_bytes(spec.dtype) + scales);
}

int64_t page_bytes_of(const CacheSpec& spec) {
  return spec.kv_heads * head_bytes_of(spec);
}

double appended_bytes(const Problem& problem) {
  const CacheSpec* cache = problem.cache;
  const double element = cache ? static_cast<double>(head_bytes_of(*cache)) / (2 * kPageTokens * cache->head_dim) : 2;
  const auto heads = static_cast<double>(problem.attrs->integer("kv_heads")), d = static_cast<double>(problem.attrs->integer("head_dim"));
  return 2 * static_cast<double>(problem.symbols.tokens) * heads * d * element;
}

uint8_t* head_of_page(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head) {
  const PageTable& table = batch.tables[int64_t{cache.group} * batch.sequences + sequence];
  HYALITE_CHECK(table.count > 0, "sequence " + std::to_string(sequence) + " has no pages");
  const int32_t page = table.pages[position / kPageTokens % table.count];
  return cache.data + page * cache.page_bytes + head * (cache.page_bytes / cache.spec.kv_heads);
}

void append_head(const BatchView& batch, const CacheView& cache, const float* k, const float* v, int32_t head) {
  const CacheSpec& spec = cache.spec;
  const int64_t d = spec.head_dim, columns = d * spec.kv_heads;
  for (int32_t t = 0; t < batch.tokens; ++t) {
    const int64_t slot = batch.positions[t] % kPageTokens, at = t * columns + head * d;
    uint8_t* to = head_of_page(batch, cache, batch.sequence_of[t], batch.positions[t], head);
    uint8_t* key_scale = to + 2 * kPageTokens * d * element_bytes(spec.dtype) + slot * static_cast<int64_t>(sizeof(float));
    write(spec.dtype, k + at, d, to, slot, kPageTokens, key_scale);
    write(spec.dtype, v + at, d, to, (kPageTokens + slot) * d, 1, key_scale + kPageTokens * sizeof(float));
  }
}

HeadPage::HeadPage(const BatchView& batch, const CacheView& cache, int32_t sequence, int64_t position, int32_t head)
    : head_dim_(cache.spec.head_dim), values_(2 * kPageTokens * head_dim_) {
  const uint8_t* from = head_of_page(batch, cache, sequence, position, head);
  const int64_t half = kPageTokens * head_dim_;
  const bool has_scales = cache.spec.dtype == DType::q8_0;
  format_of(has_scales ? DType::i8 : cache.spec.dtype).decode(from, 2 * half, values_.data());
  if (!has_scales) return;
  float scales[2 * kPageTokens];
  std::memcpy(scales, from + 2 * half, sizeof scales);
  for (int64_t i = 0; i < half; ++i) {
    values_[i] *= scales[i % kPageTokens];
    values_[half + i] *= scales[kPageTokens + i / head_dim_];
  }
}

void HeadPage::scores(const float* q, float* scores) const {
  std::fill(scores, scores + kPageTokens, 0.0f);
  for (int64_t i = 0; i < head_dim_; ++i) add_scaled(scores, values_.data() + i * kPageTokens, q[i], kPageTokens);
}

}  // namespace hyalite

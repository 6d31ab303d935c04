#include "ops/attention.h"

#include <algorithm>

#include "ops/paged_cache.h"
#include "ops/type_rules.h"

namespace hyalite {

ValueType infer_attention(const Problem& problem) {
  const int64_t heads = positive_attr(problem, "heads"), kv_heads = positive_attr(problem, "kv_heads");
  const int64_t columns = heads * positive_attr(problem, "head_dim");
  check_layer(problem);
  expect(problem.attrs->integer("window", 0) >= 0 && problem.attrs->integer("window", 0) < (int64_t{1} << 31), "window", "is out of range");
  expect(heads % kv_heads == 0, "heads", "must be a multiple of kv_heads");
  const TensorType& q = token_rows_of(problem, 0, "q");
  expect(columns_of(q) == columns, "q", "must have heads * head_dim = " + std::to_string(columns) + " columns, is " + to_string(q));
  return ValueType::of(q);
}

void bind_attention(const Attrs& attrs, void* params) {
  *static_cast<AttentionParams*>(params) = {
      .heads = static_cast<int32_t>(attrs.integer("heads")),
      .kv_heads = static_cast<int32_t>(attrs.integer("kv_heads")),
      .head_dim = static_cast<int32_t>(attrs.integer("head_dim")),
      .scale = static_cast<float>(attrs.real("scale")),
      .window = static_cast<int32_t>(attrs.integer("window", 0)),
  };
}

Cost attention_cost(const Problem& problem) {
  AttentionParams params;
  bind_attention(*problem.attrs, &params);
  const double sequences = static_cast<double>(std::max<int64_t>(1, problem.symbols.sequences));
  const double tokens = static_cast<double>(problem.symbols.tokens), fresh = tokens / sequences;
  const double cached = static_cast<double>(problem.cached), window = params.window > 0 ? params.window : cached + fresh;
  const double seen_by_each = std::min(window, cached + (fresh + 1) / 2), read = std::min(cached + fresh, window + fresh);
  const double element = problem.cache ? static_cast<double>(head_bytes_of(*problem.cache)) / (2 * kPageTokens * params.head_dim) : 2;
  const double width = static_cast<double>(params.heads) * params.head_dim,
               kv_width = static_cast<double>(params.kv_heads) * params.head_dim;
  return {4 * width * tokens * seen_by_each, 2 * 4 * tokens * width + 2 * element * kv_width * read * sequences};
}

}  // namespace hyalite

#include <algorithm>
#include <cmath>

#include "ops/attention.h"
#include "ops/op_table.h"
#include "ops/paged_cache.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"q", kTensor}, {"k", kTensor}, {"v", kTensor}, {"kv", kCache}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}, {"kv", kCache}};
constexpr AttrSpec kAttrs[] = {HYALITE_ATTENTION_ATTRS};

std::vector<ValueType> infer(const Problem& problem) {
  ValueType result = infer_attention(problem);
  const TensorType &k = token_rows_of(problem, 1, "k"), &v = token_rows_of(problem, 2, "v");
  const int64_t columns = positive_attr(problem, "kv_heads") * positive_attr(problem, "head_dim");
  const TensorType wanted = f32_matrix(result.tensor.dims[0], columns);
  expect(k == wanted, "k", "must be " + to_string(wanted) + ", is " + to_string(k));
  expect(v == wanted, "v", "must be " + to_string(wanted) + ", is " + to_string(v));
  return {std::move(result), ValueType::cache()};
}

// Decoded pages of one kv head of one sequence, from the page of `first` to that of `last`.
std::vector<HeadPage> pages_between(const OpArgs& args, int32_t sequence, int64_t first, int64_t last, int32_t head) {
  std::vector<HeadPage> pages;
  for (int64_t block = first / kPageTokens; block <= last / kPageTokens; ++block)
    pages.emplace_back(*args.batch, *args.cache, sequence, block * kPageTokens, head);
  return pages;
}

// y = softmax(scale * q k^T) v over positions [first, last]: the largest score is found first, then the weights are summed.
// pages[0] holds position block `first_block`.
void attend(const AttentionParams& params, const std::vector<HeadPage>& pages, int64_t first_block, int64_t first, int64_t last,
            const float* q, float* y) {
  std::vector<float> weights(pages.size() * kPageTokens);
  for (size_t i = 0; i < pages.size(); ++i) pages[i].scores(q, &weights[i * kPageTokens]);
  const int64_t origin = first_block * kPageTokens;
  float largest = -INFINITY;
  for (int64_t p = first; p <= last; ++p) largest = std::max(largest, weights[p - origin] *= params.scale);
  float sum = 0;
  for (int64_t p = first; p <= last; ++p) sum += weights[p - origin] = std::exp(weights[p - origin] - largest);
  std::fill(y, y + params.head_dim, 0.0f);
  for (int64_t p = first; p <= last; ++p)
    add_scaled(y, pages[(p - origin) / kPageTokens].value(p % kPageTokens), weights[p - origin] / sum, params.head_dim);
}

// All tokens of one sequence, for the query heads that share kv head `head`.
void attend_sequence(const OpArgs& args, int32_t sequence, int32_t head) {
  const auto& params = *static_cast<const AttentionParams*>(args.params);
  const BatchView& batch = *args.batch;
  int64_t first = INT64_MAX, last = -1;
  for (int32_t t = 0; t < batch.tokens; ++t)
    if (batch.sequence_of[t] == sequence) {
      first = std::min(first, first_visible(params, batch.positions[t]));
      last = std::max<int64_t>(last, batch.positions[t]);
    }
  if (last < 0) return;
  const std::vector<HeadPage> pages = pages_between(args, sequence, first, last, head);
  const int32_t group = params.heads / params.kv_heads;
  for (int32_t t = 0; t < batch.tokens; ++t) {
    if (batch.sequence_of[t] != sequence) continue;
    for (int32_t h = head * group; h < (head + 1) * group; ++h) {
      const int64_t at = (int64_t{t} * params.heads + h) * params.head_dim;
      attend(params, pages, first / kPageTokens, first_visible(params, batch.positions[t]), batch.positions[t],
             args.inputs[0].as<float>() + at, args.outputs[0].as<float>() + at);
    }
  }
}

// Threads share the kv heads, so each reads only what it appended itself.
void evaluate(const OpArgs& args, WorkRange range) {
  const int32_t kv_heads = static_cast<const AttentionParams*>(args.params)->kv_heads;
  for (auto head = static_cast<int32_t>(range.begin(kv_heads)); head < range.end(kv_heads); ++head) {
    append_head(*args.batch, *args.cache, args.inputs[1].as<float>(), args.inputs[2].as<float>(), head);
    for (int32_t s = 0; s < args.batch->sequences; ++s) attend_sequence(args, s, head);
  }
}

}  // namespace

constinit const OpSpec op_grouped_query_attention{
    .name = "grouped_query_attention",
    .summary = "Appends k and v to the cache of `layer`, then y = softmax(scale * q k^T) v over the positions a token sees.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = attention_cost,
    .bind = bind_attention,
    .evaluate = evaluate,
};

}  // namespace hyalite

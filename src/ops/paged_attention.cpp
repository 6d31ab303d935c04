// paged_attention_prefill and paged_attention_decode: one meaning, two names, because kernels and plans treat them differently.
#include <algorithm>
#include <cmath>

#include "ops/attention.h"
#include "ops/op_table.h"
#include "ops/paged_cache.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"q", kTensor}, {"kv", kCache}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {HYALITE_ATTENTION_ATTRS};

std::vector<ValueType> infer(const Problem& problem) {
  return {infer_attention(problem)};
}

// Softmax in one pass: whenever a page raises the largest score, what was summed before shrinks by the same factor.
struct OnlineSoftmax {
  float largest = -INFINITY, sum = 0;
};

// Adds positions [first, last] of a page to y.
void attend_page(const AttentionParams& params, const HeadPage& page, int64_t first, int64_t last, const float* q, OnlineSoftmax& state,
                 float* y) {
  float scores[kPageTokens];
  page.scores(q, scores);
  float largest = state.largest;
  for (int64_t i = first; i <= last; ++i) largest = std::max(largest, scores[i] *= params.scale);
  const float shrink = std::exp(state.largest - largest);
  state.largest = largest;
  state.sum *= shrink;
  for (int32_t c = 0; c < params.head_dim; ++c) y[c] *= shrink;
  for (int64_t i = first; i <= last; ++i) {
    const float weight = std::exp(scores[i] - largest);
    state.sum += weight;
    add_scaled(y, page.value(i), weight, params.head_dim);
  }
}

// Query heads that share kv head `head`, of tokens [begin, end), which belong to one sequence. A page is decoded once for all of them.
void attend_tokens(const OpArgs& args, int32_t head, int32_t begin, int32_t end) {
  const auto& params = *static_cast<const AttentionParams*>(args.params);
  const BatchView& batch = *args.batch;
  const int64_t d = params.head_dim, group = params.heads / params.kv_heads;
  const auto offset_of = [&](int64_t t) { return (t * params.heads + head * group) * d; };
  const auto [low, high] = std::minmax_element(batch.positions + begin, batch.positions + end);
  std::vector<OnlineSoftmax> states((end - begin) * group);
  for (int32_t t = begin; t < end; ++t) std::fill_n(args.outputs[0].as<float>() + offset_of(t), group * d, 0.0f);
  for (int64_t block = first_visible(params, *low) / kPageTokens; block <= *high / kPageTokens; ++block) {
    const int64_t origin = block * kPageTokens;
    const HeadPage page(batch, *args.cache, batch.sequence_of[begin], origin, head);
    for (int32_t t = begin; t < end; ++t) {
      const int64_t first = std::max(first_visible(params, batch.positions[t]) - origin, int64_t{0});
      const int64_t last = std::min<int64_t>(batch.positions[t] - origin, kPageTokens - 1);
      if (first > last) continue;
      for (int64_t h = 0; h < group; ++h)
        attend_page(params, page, first, last, args.inputs[0].as<float>() + offset_of(t) + h * d, states[(t - begin) * group + h],
                    args.outputs[0].as<float>() + offset_of(t) + h * d);
    }
  }
  for (int32_t t = begin; t < end; ++t)
    for (int64_t i = 0; i < group * d; ++i) args.outputs[0].as<float>()[offset_of(t) + i] /= states[(t - begin) * group + i / d].sum;
}

// Threads share the pairs (kv head, token); a thread's part of a head's tokens is cut where the sequence changes.
void evaluate(const OpArgs& args, WorkRange range) {
  const BatchView& batch = *args.batch;
  const int64_t tokens = batch.tokens, work = tokens * static_cast<const AttentionParams*>(args.params)->kv_heads;
  const int64_t end = range.end(work);
  for (int64_t i = range.begin(work); i < end;) {
    const auto head = static_cast<int32_t>(i / tokens), t = static_cast<int32_t>(i % tokens);
    int32_t stop = t;
    while (stop < tokens && i + (stop - t) < end && batch.sequence_of[stop] == batch.sequence_of[t]) ++stop;
    attend_tokens(args, head, t, stop);
    i += stop - t;
  }
}

}  // namespace

constinit const OpSpec op_paged_attention_prefill{
    .name = "paged_attention_prefill",
    .summary = "y = softmax(scale * q k^T) v over the cached positions a token sees, of many tokens a sequence.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = attention_cost,
    .bind = bind_attention,
    .evaluate = evaluate,
};

constinit const OpSpec op_paged_attention_decode{
    .name = "paged_attention_decode",
    .summary = "y = softmax(scale * q k^T) v over the cached positions a token sees, of one or few tokens a sequence.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = attention_cost,
    .bind = bind_attention,
    .evaluate = evaluate,
};

}  // namespace hyalite

// What grouped_query_attention and the paged_attention ops have in common: attributes, type rule, cost.
#pragma once

#include "ops/op_spec.h"
#include "ops/params.h"

namespace hyalite {

// Attributes of every attention op. `window` is 0 (all earlier positions) where it is not given.
#define HYALITE_ATTENTION_ATTRS                                                                                                    \
  {"layer", "int", true}, {"heads", "int", true}, {"kv_heads", "int", true}, {"head_dim", "int", true}, {"scale", "real", true}, { \
    "window", "int", false                                                                                                         \
  }

// Checks the attributes and q; returns the type of the result, which is like q.
ValueType infer_attention(const Problem& problem);
void bind_attention(const Attrs& attrs, void* params);  // AttentionParams
// 4 head_dim flops for each head and visible position; q and the result once, and the visible keys and values of each sequence once.
Cost attention_cost(const Problem& problem);

// First position that the token at `position` sees.
inline int64_t first_visible(const AttentionParams& params, int64_t position) {
  return params.window > 0 && position >= params.window ? position - params.window + 1 : 0;
}

}  // namespace hyalite

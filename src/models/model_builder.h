// From the canonical config to the logical graph: the last place that knows a model family.
//
//   Module module = build_model(imported.config, imported.weights);   // one graph, @model
//
// graph @model(%ids: tensor<T x i32>, %batch: batch, %kv: cache) -> logits tensor<L x V x f32>, the cache after the last layer.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "models/config.h"
#include "ops/batch.h"
#include "tensor/weight_store.h"

namespace hyalite {

class BlockBuilder;

// One row of families.inc. Stateless.
struct Family {
  std::string_view name;
  void (*build)(BlockBuilder& b);
};

std::span<const Family> families();
const Family* find_family(std::string_view name);  // nullptr where there is none

// The graph says what the model computes, layer by layer, the way its equations read: it repeats what repeats (rotary frequencies for q and
// for k of every layer, a tied table for both its uses) and leaves the types of computed values unknown; passes do the rest.
// `weights` gives the format of each weight; no bytes are read. REQUIRES: check_config passed.
// Throws Error{unsupported} for an unknown family and Error{invalid_model} naming a weight that is missing.
Module build_model(const ModelConfig& config, const WeightStore& weights);

// What each layer keeps per token, in layer order; `dtype` is f32, f16 or bf16.
std::vector<CacheSpec> cache_specs(const ModelConfig& config, DType dtype);

}  // namespace hyalite

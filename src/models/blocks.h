// The blocks that decoder families are made of. A family is a short function over these; see llama.cpp.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"
#include "models/config.h"
#include "tensor/weight_store.h"

namespace hyalite {

// Does this layer attend only to a window?
bool slides(const ModelConfig& config, int64_t layer);

// Appends the nodes of one model to one graph. Lives while a graph is built; holds no state beyond the graph and the cache value.
// Activations are [T, columns] values; `layer` counts from 0. A block returns the value it computed.
class BlockBuilder {
 public:
  // Adds the graph's inputs ids, batch and kv. The three arguments outlive the builder.
  BlockBuilder(const ModelConfig& config, const WeightStore& weights, Graph& graph);

  const ModelConfig& config() const { return config_; }

  // token_embd rows of the step's ids, scaled by embedding_scale.
  ValueId embedding();
  // rms_norm with the weight blk.<layer>.<name>.
  ValueId norm(ValueId x, int64_t layer, std::string_view name);
  // q, k, v projections (with biases where qkv_bias), per-head norms of q and k (qk_norm), rotary embedding, attention over the layer's
  // cache (within the window where the layer slides), output projection (with a bias where attention_output_bias).
  ValueId attention(ValueId x, int64_t layer);
  // down(act(gate(x)) * up(x)).
  ValueId gated_mlp(ValueId x, int64_t layer);
  // x + y; `name` is the block whose output y is.
  ValueId residual(ValueId x, ValueId y, int64_t layer, std::string_view name);
  // Rows that need logits, final norm, output projection (the embedding table where tied), softcap; sets the graph's outputs.
  void head(ValueId x);
  // The whole model of most families: x += attention(norm(x)), x += gated_mlp(norm(x)), layer after layer.
  void pre_norm_decoder();

 private:
  ValueId append(std::string_view op, std::vector<ValueId> operands, Attrs attrs, const std::string& name, const std::string& path);
  ValueId weight(const std::string& name);
  ValueId project(ValueId x, int64_t layer, const std::string& part, const std::string& tensor, bool bias);
  ValueId rotate(ValueId x, int64_t layer, const std::string& part);
  ValueId attend(ValueId q, ValueId k, ValueId v, int64_t layer);

  const ModelConfig& config_;
  const WeightStore& weights_;
  Graph& graph_;
  ValueId ids_, batch_, cache_;
};

}  // namespace hyalite

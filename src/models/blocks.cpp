#include "models/blocks.h"

#include "base/error.h"

namespace hyalite {
namespace {

const OpSpec& op_named(std::string_view name) {
  const OpSpec* op = find_op(name);
  HYALITE_CHECK(op, "op " + std::string(name));
  return *op;
}

// Canonical names and provenance paths of a layer's parts start with "blk.3."; value names with "blk3.".
std::string tensor_of(int64_t layer, std::string_view part) {
  return "blk." + std::to_string(layer) + "." + std::string(part);
}
std::string value_of(int64_t layer, std::string_view part) {
  return "blk" + std::to_string(layer) + "." + std::string(part);
}

Attrs frequency_attrs(const RopeConfig& rope) {
  Attrs attrs{{"theta", rope.theta}, {"dims", int64_t{rope.rotary_dim}}};
  if (rope.scaling == RopeScaling::none) return attrs;
  attrs.set("scaling", std::string(rope.scaling == RopeScaling::linear   ? "linear"
                                   : rope.scaling == RopeScaling::llama3 ? "llama3"
                                                                         : "yarn"));
  attrs.set("factor", rope.factor);
  if (rope.scaling == RopeScaling::linear) return attrs;
  attrs.set("original_context", static_cast<double>(rope.original_context));
  if (rope.scaling == RopeScaling::llama3) {
    attrs.set("low_freq_factor", rope.low_freq_factor);
    attrs.set("high_freq_factor", rope.high_freq_factor);
  } else {
    attrs.set("beta_fast", rope.beta_fast);
    attrs.set("beta_slow", rope.beta_slow);
    attrs.set("truncate", rope.truncate);
  }
  return attrs;
}

}  // namespace

bool slides(const ModelConfig& config, int64_t layer) {
  return config.sliding_window > 0 && layer < static_cast<int64_t>(config.sliding_layers.size()) && config.sliding_layers[layer];
}

BlockBuilder::BlockBuilder(const ModelConfig& config, const WeightStore& weights, Graph& graph)
    : config_(config),
      weights_(weights),
      graph_(graph),
      ids_(graph.add_input("ids", ValueType::of({DType::i32, {Dim::tokens()}}))),
      batch_(graph.add_input("batch", ValueType::batch())),
      cache_(graph.add_input("kv", ValueType::cache())) {}

ValueId BlockBuilder::append(std::string_view op, std::vector<ValueId> operands, Attrs attrs, const std::string& name,
                             const std::string& path) {
  return graph_.result(graph_.append(op_named(op), std::move(operands), std::move(attrs), {name}, {.path = path}));
}

ValueId BlockBuilder::weight(const std::string& name) {
  std::string value = name.starts_with("blk.") ? "blk" + name.substr(4) : name;
  std::string path = name.ends_with(".bias") ? name : name + ".weight";
  ValueType type = ValueType::of(weights_.at(name).type);
  return graph_.result(graph_.append(op_named("weight"), {}, {{"name", name}}, {value + ".w"}, {.path = path}, {type}));
}

ValueId BlockBuilder::embedding() {
  ValueId x = append("embed", {ids_, weight("token_embd")}, {}, "embedding", "token_embd");
  if (config_.embedding_scale == 1) return x;
  return append("scale", {x}, {{"factor", config_.embedding_scale}}, "embedding.scaled", "token_embd.scale");
}

ValueId BlockBuilder::norm(ValueId x, int64_t layer, std::string_view name) {
  std::string tensor = tensor_of(layer, name);
  return append("rms_norm", {x, weight(tensor)}, {{"eps", config_.norm_eps}}, value_of(layer, name), tensor);
}

ValueId BlockBuilder::project(ValueId x, int64_t layer, const std::string& part, const std::string& tensor, bool bias) {
  std::string path = tensor_of(layer, part);
  ValueId y = append("matmul", {x, weight(tensor_of(layer, tensor))}, {}, value_of(layer, part), path);
  if (!bias) return y;
  return append("add", {y, weight(tensor_of(layer, tensor + ".bias"))}, {}, value_of(layer, part + ".biased"), path + ".bias");
}

ValueId BlockBuilder::rotate(ValueId x, int64_t layer, const std::string& part) {
  const RopeConfig& rope = slides(config_, layer) ? config_.local_rope : config_.rope;
  ValueId factors = rope.has_factors ? weight("rope_factors") : kNone;
  std::string frequencies_part = part + ".freqs";
  ValueId frequencies =
      append("rope_frequencies", {factors}, frequency_attrs(rope), value_of(layer, frequencies_part), tensor_of(layer, frequencies_part));
  Attrs attrs{{"head_dim", config_.head_dim}, {"interleaved", rope.interleaved}};
  if (rope.attention_factor != 1) attrs.set("scale", rope.attention_factor);
  return append("rope", {x, frequencies, batch_}, attrs, value_of(layer, part + ".rope"), tensor_of(layer, part + ".rope"));
}

ValueId BlockBuilder::attend(ValueId q, ValueId k, ValueId v, int64_t layer) {
  Attrs attrs{{"layer", layer},
              {"heads", config_.heads},
              {"kv_heads", config_.kv_heads},
              {"head_dim", config_.head_dim},
              {"scale", config_.attention_scale}};
  if (slides(config_, layer)) attrs.set("window", config_.sliding_window);
  NodeId node = graph_.append(op_named("grouped_query_attention"), {q, k, v, cache_, batch_}, attrs,
                              {value_of(layer, "attn.mix"), value_of(layer, "kv")}, {.path = tensor_of(layer, "attn")});
  cache_ = graph_.result(node, 1);
  return graph_.result(node, 0);
}

ValueId BlockBuilder::attention(ValueId x, int64_t layer) {
  auto head_norm = [&](ValueId y, const std::string& part, const std::string& tensor) {
    if (!config_.qk_norm) return y;
    std::string name = tensor_of(layer, tensor);
    return append("rms_norm", {y, weight(name)}, {{"eps", config_.norm_eps}}, value_of(layer, part + ".norm"),
                  tensor_of(layer, part + ".norm"));
  };
  ValueId q = project(x, layer, "attn.q", "attn_q", config_.qkv_bias);
  ValueId k = project(x, layer, "attn.k", "attn_k", config_.qkv_bias);
  ValueId v = project(x, layer, "attn.v", "attn_v", config_.qkv_bias);
  q = rotate(head_norm(q, "attn.q", "attn_q_norm"), layer, "attn.q");
  k = rotate(head_norm(k, "attn.k", "attn_k_norm"), layer, "attn.k");
  return project(attend(q, k, v, layer), layer, "attn.output", "attn_output", config_.attention_output_bias);
}

ValueId BlockBuilder::gated_mlp(ValueId x, int64_t layer) {
  std::string_view activation = config_.activation == Activation::silu ? "silu" : "gelu_tanh";
  ValueId gate = project(x, layer, "ffn.gate", "ffn_gate", false);
  gate = append(activation, {gate}, {}, value_of(layer, "ffn.act"), tensor_of(layer, "ffn.act"));
  ValueId up = project(x, layer, "ffn.up", "ffn_up", false);
  ValueId gated = append("mul", {gate, up}, {}, value_of(layer, "ffn.gated"), tensor_of(layer, "ffn.gated"));
  return project(gated, layer, "ffn.down", "ffn_down", false);
}

ValueId BlockBuilder::residual(ValueId x, ValueId y, int64_t layer, std::string_view name) {
  std::string part = std::string(name) + ".residual";
  return append("add", {x, y}, {}, value_of(layer, part), tensor_of(layer, part));
}

void BlockBuilder::head(ValueId x) {
  x = append("select_rows", {x, batch_}, {}, "last", "output.rows");
  x = append("rms_norm", {x, weight("output_norm")}, {{"eps", config_.norm_eps}}, "output_norm", "output_norm");
  ValueId logits = append("matmul", {x, weight(config_.tied_embeddings ? "token_embd" : "output")}, {}, "logits", "output");
  if (config_.final_logit_softcap != 0)
    logits = append("softcap", {logits}, {{"factor", config_.final_logit_softcap}}, "logits.capped", "output.softcap");
  graph_.set_outputs({logits, cache_});
}

void BlockBuilder::pre_norm_decoder() {
  ValueId x = embedding();
  for (int64_t layer = 0; layer < config_.layers; ++layer) {
    x = residual(x, attention(norm(x, layer, "attn_norm"), layer), layer, "attn");
    x = residual(x, gated_mlp(norm(x, layer, "ffn_norm"), layer), layer, "ffn");
  }
  head(x);
}

}  // namespace hyalite

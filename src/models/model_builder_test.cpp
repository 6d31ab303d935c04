#include "models/model_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

ModelConfig small(const std::string& family) {
  ModelConfig c{.family = family, .layers = 2, .hidden = 64, .intermediate = 96, .heads = 4, .kv_heads = 2, .head_dim = 16, .vocab = 100};
  c.context_length = 128;
  c.attention_scale = 0.25;
  c.rope.rotary_dim = 16;
  c.local_rope = c.rope;
  c.qkv_bias = family == "qwen2";
  c.qk_norm = family == "qwen3" || family == "gemma3";
  c.post_norms = family == "gemma3";
  return c;
}

// Every tensor of the config, all zero.
WeightStore weights_of(const ModelConfig& config) {
  WeightStore store;
  for (const TensorSpec& spec : tensor_specs(config)) {
    TensorType type{DType::f32, {}};
    for (int64_t dim : spec.dims) type.dims.emplace_back(dim);
    std::vector<uint8_t> bytes(bytes_of(type, {}));
    store.add_owned(spec.name, std::move(type), {"test", spec.name}, std::move(bytes));
  }
  return store;
}

Graph build(const ModelConfig& config) {
  return build_model(config, weights_of(config)).graphs.at(0);
}

std::vector<NodeId> nodes(const Graph& graph, std::string_view op) {
  std::vector<NodeId> found;
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == op) found.push_back(id);
  return found;
}

// Names of the weights that the graph reads, each once.
std::vector<std::string> weight_names(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id : nodes(graph, "weight")) names.push_back(graph.node(id).attrs.text("name"));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

TEST(ModelBuilder, EveryFamilyReadsExactlyItsTensors) {
  for (const Family& family : families())
    for (bool tied : {true, false}) {
      ModelConfig config = small(std::string(family.name));
      config.tied_embeddings = config.attention_output_bias = tied;
      std::vector<std::string> expected;
      for (const TensorSpec& spec : tensor_specs(config)) expected.push_back(spec.name);
      std::ranges::sort(expected);
      EXPECT_EQ(weight_names(build(config)), expected) << family.name << (tied ? " tied" : " untied");
    }
}

TEST(ModelBuilder, OperandsComeBeforeTheirUses) {
  for (const Family& family : families()) {
    Graph graph = build(small(std::string(family.name)));
    std::vector<bool> ready(graph.value_count());
    for (ValueId input : graph.inputs()) ready[input] = true;
    for (NodeId id : graph.order()) {
      for (ValueId value : graph.node(id).operands) EXPECT_TRUE(value == kNone || ready[value]) << graph.node(id).from.path;
      for (ValueId value : graph.node(id).results) ready[value] = true;
    }
    ASSERT_EQ(graph.outputs().size(), 2u);
    EXPECT_EQ(graph.node(graph.value(graph.outputs()[1]).producer).op->name, "grouped_query_attention");
  }
}

TEST(ModelBuilder, OneCacheThreadsThroughTheLayers) {
  Graph graph = build(small("llama"));
  std::vector<NodeId> attention = nodes(graph, "grouped_query_attention");
  ASSERT_EQ(attention.size(), 2u);
  EXPECT_EQ(graph.node(attention[0]).operands[3], graph.find_value("kv"));
  EXPECT_EQ(graph.node(attention[1]).operands[3], graph.node(attention[0]).results[1]);
  EXPECT_EQ(graph.node(attention[1]).attrs.integer("layer"), 1);
}

TEST(ModelBuilder, LogitsAreTakenOnlyWhereTheyAreWanted) {
  Graph graph = build(small("llama"));
  NodeId rows = nodes(graph, "select_rows").at(0);
  std::vector<NodeId> norms = nodes(graph, "rms_norm");
  EXPECT_EQ(graph.node(norms.back()).operands[0], graph.result(rows));
}

TEST(ModelBuilder, TiedTableIsReadTwiceAndFrequenciesPerUse) {
  ModelConfig config = small("llama");
  config.tied_embeddings = true;
  Graph graph = build(config);
  auto tables = std::ranges::count_if(nodes(graph, "weight"), [&](NodeId id) { return graph.node(id).attrs.text("name") == "token_embd"; });
  EXPECT_EQ(tables, 2) << "merging is CSE's work";
  EXPECT_EQ(nodes(graph, "rope_frequencies").size(), 4u) << "q and k of two layers";
}

TEST(ModelBuilder, Gemma3SlidesScalesAndCaps) {
  ModelConfig config = small("gemma3");
  config.embedding_scale = 8;
  config.final_logit_softcap = 30;
  config.activation = Activation::gelu_tanh;
  config.sliding_window = 5;
  config.sliding_layers = {true, false};
  config.rope.theta = 1e6;
  Graph graph = build(config);
  std::vector<NodeId> attention = nodes(graph, "grouped_query_attention");
  EXPECT_EQ(graph.node(attention[0]).attrs.integer("window"), 5);
  EXPECT_FALSE(graph.node(attention[1]).attrs.has("window"));
  std::vector<NodeId> frequencies = nodes(graph, "rope_frequencies");
  EXPECT_EQ(graph.node(frequencies[0]).attrs.real("theta"), 1e4);
  EXPECT_EQ(graph.node(frequencies[2]).attrs.real("theta"), 1e6);
  EXPECT_EQ(graph.node(nodes(graph, "scale").at(0)).attrs.real("factor"), 8);
  EXPECT_EQ(graph.node(nodes(graph, "softcap").at(0)).attrs.real("factor"), 30);
  EXPECT_EQ(nodes(graph, "gelu_tanh").size(), 2u);
  EXPECT_EQ(nodes(graph, "rms_norm").size(), 2u * 6 + 1);
}

TEST(ModelBuilder, RopeScalingReachesTheGraph) {
  ModelConfig config = small("llama");
  config.rope.scaling = RopeScaling::yarn;
  config.rope.factor = 4;
  config.rope.original_context = 32;
  config.rope.attention_factor = 1.25;
  config.rope.interleaved = true;
  Graph graph = build(config);
  const Attrs& frequencies = graph.node(nodes(graph, "rope_frequencies").at(0)).attrs;
  EXPECT_EQ(frequencies.text("scaling"), "yarn");
  EXPECT_EQ(frequencies.real("original_context"), 32);
  EXPECT_EQ(frequencies.real("beta_fast"), 32);
  const Attrs& rope = graph.node(nodes(graph, "rope").at(0)).attrs;
  EXPECT_EQ(rope.real("scale"), 1.25);
  EXPECT_TRUE(rope.boolean("interleaved", false));
}

TEST(ModelBuilder, PathsNameTheModule) {
  Graph graph = build(small("llama"));
  EXPECT_EQ(graph.node(graph.value(graph.find_value("blk1.attn.q")).producer).from.path, "blk.1.attn.q");
  EXPECT_EQ(graph.node(graph.value(graph.find_value("blk0.ffn_down.w")).producer).from.path, "blk.0.ffn_down.weight");
}

TEST(ModelBuilder, UnknownFamilyAndMissingWeightAreRefusedByName) {
  ModelConfig config = small("llama");
  WeightStore store = weights_of(config);
  config.tied_embeddings = false;
  config.qkv_bias = true;
  try {
    build_model(config, store);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_NE(error.where().find("blk.0.attn_q.bias"), std::string::npos);
  }
  config.family = "rwkv";
  try {
    build_model(config, store);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("rwkv"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("gemma3"), std::string::npos);
  }
}

TEST(ModelBuilder, FamiliesInsistOnWhatTheyAreMadeOf) {
  for (const char* family : {"qwen2", "qwen3", "gemma3"}) {
    ModelConfig config = small("llama");
    config.family = family;
    EXPECT_THROW(build(config), Error) << family;
  }
}

TEST(CacheSpecs, SlidingLayersKeepAWindow) {
  ModelConfig config = small("gemma3");
  config.sliding_window = 5;
  config.sliding_layers = {true, false};
  std::vector<CacheSpec> specs = cache_specs(config, DType::f16);
  ASSERT_EQ(specs.size(), 2u);
  EXPECT_EQ(specs[0], (CacheSpec{CacheSpec::Kind::sliding_window, 2, 16, 5, DType::f16}));
  EXPECT_EQ(specs[1], (CacheSpec{CacheSpec::Kind::paged, 2, 16, 0, DType::f16}));
}

}  // namespace
}  // namespace hyalite

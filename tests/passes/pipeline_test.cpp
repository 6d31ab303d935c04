// The whole pipeline on tiny random models of every family: logits stay, text resumes at every stage, compiling is fast.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "models/model_builder.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "passes/validator.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

struct Model {
  ModelConfig config;
  WeightStore weights;
};

ModelConfig tiny(const std::string& family) {
  ModelConfig c{.family = family, .layers = 3, .hidden = 64, .intermediate = 96, .heads = 4, .kv_heads = 2, .head_dim = 16, .vocab = 50};
  c.context_length = 128;
  c.attention_scale = 0.25;
  c.rope.rotary_dim = 16;
  c.local_rope = c.rope;
  c.tied_embeddings = true;
  if (family == "llama") {
    c.rope.interleaved = true;
    c.rope.scaling = RopeScaling::llama3;
    c.rope.factor = 8;
    c.rope.original_context = 64;
    c.tied_embeddings = false;
  }
  c.qkv_bias = family == "qwen2";
  c.qk_norm = family == "qwen3" || family == "gemma3";
  if (family == "qwen3") c.head_dim = c.rope.rotary_dim = c.local_rope.rotary_dim = 20;
  if (family == "gemma3") {
    c.post_norms = true;
    c.activation = Activation::gelu_tanh;
    c.embedding_scale = 8;
    c.final_logit_softcap = 30;
    c.sliding_window = 4;
    c.sliding_layers = {true, true, false};
    c.rope.theta = 1e6;
  }
  return c;
}

// Random weights: norms around 1, matrices in `format`, so that logits are of order 1.
Model random_model(ModelConfig config, DType format) {
  Model model{std::move(config), {}};
  check_config(model.config, "test");
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    bool vector = spec.dims.size() == 1;
    DType dtype = vector || spec.dims.back() % format_of(format).block_elements ? DType::f32 : format;
    TensorType type{dtype, {}};
    int64_t elements = 1;
    for (int64_t dim : spec.dims) type.dims.emplace_back(dim), elements *= dim;
    std::vector<float> values(elements);
    for (float& value : values) value = (vector ? 1 : 0) + (vector ? 0.2f : 0.12f) * normal(random);
    std::vector<uint8_t> bytes(bytes_of(type, {}));
    encode(dtype, values.data(), elements, bytes.data());
    model.weights.add_owned(spec.name, std::move(type), {"random", spec.name}, std::move(bytes));
  }
  return model;
}

PassContext context_of(const Model& model) {
  return {.target = {.last_level_cache_bytes = 32 << 20, .multiplied = {DType::f32, DType::q8_0}, .screened = {DType::q8_0}},
          .weights = &model.weights};
}

class Pipeline : public testing::TestWithParam<std::string> {};

TEST_P(Pipeline, KeepsTheLogits) {
  for (DType format : {DType::f32, DType::q8_0}) {
    Model model = random_model(tiny(GetParam()), format);
    Module module = build_model(model.config, model.weights);
    PassRunOptions options{.validator = reference_validator(model.weights)};
    double spread = 0;
    for (float logit : options.validator(module)) spread = std::max(spread, std::abs(static_cast<double>(logit)));
    EXPECT_GT(spread, 0.1) << "a test of zeros";
    for (const PassTrace& trace : run_passes(default_pipeline(), module, context_of(model), options)) {
      ASSERT_TRUE(trace.max_abs_error) << trace.name;
      EXPECT_LT(*trace.max_abs_error, 1e-4) << trace.name;
    }
  }
}

TEST_P(Pipeline, FusesEveryLayer) {
  Model model = random_model(tiny(GetParam()), DType::q8_0);
  Module module = build_model(model.config, model.weights);
  std::vector<PassTrace> traces = run_passes(default_pipeline(), module, context_of(model));
  ASSERT_EQ(module.graphs.size(), 2u);
  for (const Graph& graph : module.graphs) {
    std::map<std::string_view, int> count;
    for (NodeId id : graph.order()) ++count[graph.node(id).op->name];
    EXPECT_EQ(count["fused_rmsnorm_qkv_rope_append"], 3);
    EXPECT_EQ(count["fused_glu"], 3);
    EXPECT_EQ(count["fused_residual_rmsnorm"], 3);
    EXPECT_EQ(count["fused_rmsnorm_qkv_rope"] + count["cache_append"], 0);
    EXPECT_EQ(count["paged_attention_" + graph.name()], 3);
    EXPECT_EQ(count["rope_frequencies"] + count["rope"] + count["silu"] + count["mul"] + count["grouped_query_attention"], 0);
    EXPECT_EQ(count["constant"], GetParam() == "gemma3" ? 2 : 1) << "one per rotary base";
  }
  int smaller = 0;
  for (const PassTrace& trace : traces) smaller += trace.nodes_after < trace.nodes_before;
  EXPECT_GE(smaller, 4);
}

TEST_P(Pipeline, PathsNameNodes) {
  Model model = random_model(tiny(GetParam()), DType::q8_0);
  Module module = build_model(model.config, model.weights);
  run_passes(default_pipeline(), module, context_of(model));
  for (const Graph& graph : module.graphs) {
    std::set<std::string> paths;
    for (NodeId id : graph.order()) {
      const Provenance& from = graph.node(id).from;
      EXPECT_TRUE(!from.path.empty() && paths.insert(from.path).second) << from.path;
      EXPECT_EQ(from.pass.empty(), from.parents.empty()) << from.path << " was made by a pass from nothing";
    }
  }
}

TEST_P(Pipeline, ResumesFromTheTextOfEveryStage) {
  Model model = random_model(tiny(GetParam()), DType::q8_0);
  Module whole = build_model(model.config, model.weights);
  run_passes(default_pipeline(), whole, context_of(model));
  const std::string end = print(whole);
  for (const Pass* pass : default_pipeline()) {
    Module stopped = build_model(model.config, model.weights);
    run_passes(default_pipeline(), stopped, context_of(model), {.stop_after = std::string(pass->name)});
    EXPECT_EQ(stopped.stage, pass->name);
    Module resumed = parse_module(print(stopped), "stage.cir");
    EXPECT_EQ(resumed, stopped) << pass->name;
    run_passes(default_pipeline(), resumed, context_of(model));
    EXPECT_EQ(print(resumed), end) << pass->name;
  }
}

TEST_P(Pipeline, ChangesNothingTheSecondTime) {
  Model model = random_model(tiny(GetParam()), DType::q8_0);
  Module module = build_model(model.config, model.weights);
  run_passes(default_pipeline(), module, context_of(model));
  const std::string end = print(module);
  for (const Pass* pass : default_pipeline()) {
    module.stage.clear();
    EXPECT_FALSE(run_passes({&pass, 1}, module, context_of(model))[0].changed) << pass->name;
  }
  module.stage = default_pipeline().back()->name;
  EXPECT_EQ(print(module), end);
}

// Pipelines can be put together by hand: a pass may find nothing at a stage, but the graph it leaves verifies and computes the same.
TEST_P(Pipeline, EveryPassBearsEveryStage) {
  Model model = random_model(tiny(GetParam()), DType::q8_0);
  Module stage = build_model(model.config, model.weights);
  Validator logits = reference_validator(model.weights);
  const std::vector<float> expected = logits(stage);
  for (const Pass* next : default_pipeline()) {
    for (const Pass* pass : default_pipeline()) {
      Module module = stage;
      module.stage.clear();
      if (!run_passes({&pass, 1}, module, context_of(model))[0].changed) continue;
      std::vector<float> got = logits(module);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-4) << pass->name << " before " << next->name;
    }
    stage.stage.clear();
    run_passes({&next, 1}, stage, context_of(model));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Pipeline, testing::Values("llama", "qwen2", "qwen3", "gemma3"),
                         [](const auto& given) { return given.param; });

TEST(PipelineTiming, ThirtyLayersRecordNothingUnlessAsked) {
  ModelConfig config = tiny("llama");
  config.layers = 30;
  Model model = random_model(config, DType::q8_0);
  SteadyClock clock;
  auto begin = clock.now();
  Module module = build_model(model.config, model.weights);
  std::vector<PassTrace> traces = run_passes(default_pipeline(), module, context_of(model));
  double ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
  RecordProperty("ms", std::to_string(ms));
  for (const PassTrace& trace : traces) {
    EXPECT_TRUE(trace.before.empty() && trace.after.empty() && trace.diff.empty()) << trace.name;
    EXPECT_FALSE(trace.max_abs_error) << trace.name;
  }
}

}  // namespace
}  // namespace hyalite

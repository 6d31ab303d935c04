#include "ir/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "ir/evaluation_case.h"
#include "ir/parser.h"
#include "ir/verifier.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

void add_weight(WeightStore& weights, const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values,
                DType dtype = DType::f32) {
  TensorType type{dtype, {}};
  for (int64_t dim : dims) type.dims.emplace_back(dim);
  std::vector<uint8_t> bytes(bytes_of(type, {}));
  encode(dtype, values.data(), static_cast<int64_t>(values.size()), bytes.data());
  weights.add_owned(name, type, {"test", name}, std::move(bytes));
}

std::vector<float> waves(size_t count, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i) * step);
  return values;
}

Graph parse(const std::string& text) {
  Graph graph = parse_module(text, "test.cir").graphs.at(0);
  verify(graph);
  return graph;
}

std::vector<float> floats_of(const EvalTensor& tensor) {
  return {tensor.floats().begin(), tensor.floats().end()};
}

// Two rows of a table, scaled and projected: [2 a, 2 b] times [[1, 1], [1, -1]].
constexpr const char* kTiny = R"(
graph @tiny(%ids: tensor<T x i32>) {
  %table = weight {name = "table"} : tensor<3 x 2 x f16>
  %w = weight {name = "w"} : tensor<2 x 2 x f32>
  %two = constant {values = [2.0, 2.0]}
  %x = embed %ids, %table
  %y = mul %x, %two
  %z = matmul %y, %w
  return %z
}
)";

WeightStore tiny_weights() {
  WeightStore weights;
  add_weight(weights, "table", {3, 2}, {1, 2, 3, 4, 5, 6}, DType::f16);
  add_weight(weights, "w", {2, 2}, {1, 1, 1, -1});
  return weights;
}

TEST(Evaluate, RunsAGraphWithoutInferredTypes) {
  const std::vector<int32_t> ids = {2, 0};
  const Graph graph = parse(kTiny);
  const WeightStore weights = tiny_weights();
  const std::vector<EvalTensor> outputs = evaluate(graph, weights, {.ids = ids});
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].type, ValueType::of({DType::f32, {Dim::tokens(), Dim(2)}}));
  EXPECT_EQ(floats_of(outputs[0]), (std::vector<float>{22, -2, 6, -2}));
}

TEST(Evaluate, ShowsEveryNodeToTheObserver) {
  const std::vector<int32_t> ids = {1};
  const Graph graph = parse(kTiny);
  const WeightStore weights = tiny_weights();
  std::vector<std::string> seen;
  std::vector<float> product;
  evaluate(graph, weights, {.ids = ids}, nullptr, [&](NodeId node, std::span<const TensorView> results) {
    seen.emplace_back(graph.node(node).op->name);
    if (seen.back() == "mul") product.assign(results[0].as<float>(), results[0].as<float>() + results[0].elements());
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"weight", "weight", "constant", "embed", "mul", "matmul"}));
  EXPECT_EQ(product, (std::vector<float>{6, 8}));
}

TEST(Evaluate, NamesWhatIsMissingOrDoesNotFit) {
  const auto error_of = [](const std::string& text, const WeightStore& weights, const EvalInputs& inputs) -> std::string {
    const Graph graph = parse(text);
    try {
      evaluate(graph, weights, inputs);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::vector<int32_t> ids = {1}, beyond = {3};
  const WeightStore none, weights = tiny_weights();
  EXPECT_EQ(error_of(kTiny, none, {.ids = ids}), "table: no such weight");
  EXPECT_EQ(error_of(kTiny, weights, {.ids = beyond}), "graph @tiny, node 4 (%x = embed): token 0: id 3 is outside 0..2");
  std::string text = kTiny;
  text.replace(text.find("3 x 2 x f16"), 11, "3 x 2 x f32");
  EXPECT_EQ(error_of(text, weights, {.ids = ids}), "weight table: is tensor<3 x 2 x f16>, but the graph says tensor<3 x 2 x f32>");
  EXPECT_EQ(error_of("graph @g(%x: tensor<T x 4 x f32>) {\n  return %x\n}", none, {.ids = ids}),
            "input %x: is not given; it is tensor<T x 4 x f32>");
  EXPECT_EQ(error_of("graph @g(%b: batch) {\n  return %b\n}", none, {.ids = ids}), "input %b: no batch is given");
}

// One attention layer, as models build it and as specialisation lowers it.
std::string layer(const std::string& attention) {
  return R"(
graph @layer(%ids: tensor<T x i32>, %batch: batch, %kv: cache) {
  %table = weight {name = "table"} : tensor<50 x 32 x q8_0>
  %norm = weight {name = "norm"} : tensor<32 x f32>
  %wk = weight {name = "wk"} : tensor<16 x 32 x f32>
  %wk8 = convert %wk {to = "q8_0"}
  %wq = weight {name = "wq"} : tensor<32 x 32 x f32>
  %freqs = rope_frequencies none {theta = 100.0, dims = 8}
  %x = embed %ids, %table
  %q, %k, %v = fused_rmsnorm_qkv_rope %x, %norm, %wq, %wk8, %wk8, none, none, none, none, none, %freqs, %batch {eps = 1e-05, head_dim = 8}
)" + attention +
         R"(
  %sum = add %x, %a
  %rows = select_rows %sum, %batch
  %logits = matmul %rows, %table
  return %logits, %kv1
}
)";
}
const std::string kLogical = layer(
    "  %a, %kv1 = grouped_query_attention %q, %k, %v, %kv, %batch {layer = 0, heads = 4, kv_heads = 2, head_dim = 8, scale = 0.35, window "
    "= 6}");
const std::string kLowered = layer(
    "  %kv1 = cache_append %kv, %k, %v, %batch {layer = 0, kv_heads = 2, head_dim = 8}\n"
    "  %a = paged_attention_prefill %q, %kv1, %batch {layer = 0, heads = 4, kv_heads = 2, head_dim = 8, scale = 0.35, window = 6}");

WeightStore layer_weights() {
  WeightStore weights;
  add_weight(weights, "table", {50, 32}, waves(50 * 32, 0.7f), DType::q8_0);
  add_weight(weights, "norm", {32}, std::vector<float>(32, 1.5f));
  add_weight(weights, "wk", {16, 32}, waves(16 * 32, 1.3f));
  add_weight(weights, "wq", {32, 32}, waves(32 * 32, 1.1f));
  return weights;
}

std::vector<float> logits(const Graph& graph, const WeightStore& weights, const EvaluationCase& inputs, ThreadPool* pool = nullptr) {
  return floats_of(evaluate(graph, weights, inputs.inputs(), pool)[0]);
}

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, float tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

TEST(Evaluate, LogicalAndLoweredGraphsAgree) {
  const Graph logical = parse(kLogical), lowered = parse(kLowered);
  const WeightStore weights = layer_weights();
  for (auto make : {EvaluationCase::prefill, EvaluationCase::decode}) {
    const std::vector<float> expected = logits(logical, weights, make(logical, 1, DType::f32));
    EXPECT_EQ(expected.size(), 100u);
    expect_near(logits(lowered, weights, make(lowered, 1, DType::f32)), expected, 1e-5f);
    EXPECT_NE(logits(logical, weights, make(logical, 2, DType::f32)), expected);  // the case matters
  }
}

TEST(Evaluate, ThreadsGiveTheSameBits) {
  const WeightStore weights = layer_weights();
  ThreadPool pool(3, false);
  for (const std::string& text : {kLogical, kLowered}) {
    const Graph graph = parse(text);
    EXPECT_EQ(logits(graph, weights, EvaluationCase::prefill(graph), &pool), logits(graph, weights, EvaluationCase::prefill(graph)));
  }
}

// Feeding a prompt token by token must end in the logits of feeding it at once.
TEST(Evaluate, StepsAccumulateInTheCache) {
  const Graph graph = parse(kLowered);
  const WeightStore weights = layer_weights();
  const EvaluationCase whole(graph, {9}, {0}, 5);
  const std::vector<float> expected = logits(graph, weights, whole);
  const EvaluationCase steps(graph, {9}, {0}, 5);  // its cache is filled here, one position after the other
  Evaluator evaluator(graph, weights);
  std::vector<float> last;
  for (int32_t p = 0; p < 9; ++p) {
    BatchView one = steps.batch();
    const int32_t sequence = 0, row = 0;
    one.tokens = 1, one.positions = &p, one.sequence_of = &sequence, one.logits_row = &row;
    const EvalInputs all = steps.inputs();
    last = floats_of(evaluator.run({.ids = all.ids.subspan(p, 1), .batch = &one, .caches = all.caches})[0]);
  }
  EXPECT_EQ(last, expected);
}

TEST(Evaluator, ComputesWhatDependsOnWeightsOnce) {
  const Graph graph = parse(kLowered);
  const WeightStore weights = layer_weights();
  const EvaluationCase inputs = EvaluationCase::prefill(graph);
  Evaluator evaluator(graph, weights);
  std::vector<const void*> converted;
  for (int run = 0; run < 2; ++run)
    evaluator.run(inputs.inputs(), [&](NodeId node, std::span<const TensorView> results) {
      if (graph.node(node).op->name == "convert") converted.push_back(results[0].data);
    });
  ASSERT_EQ(converted.size(), 2u);
  EXPECT_EQ(converted[0], converted[1]);
}

TEST(Evaluator, RefusesCachesThatDoNotFit) {
  const Graph graph = parse(kLowered);
  const WeightStore weights = layer_weights();
  const EvaluationCase inputs = EvaluationCase::prefill(graph);
  EvalInputs without = inputs.inputs();
  without.caches = {};
  EXPECT_THROW(evaluate(graph, weights, without), Error);
  CacheView other = inputs.caches()[0];
  other.spec.kv_heads = 1;
  without.caches = {&other, 1};
  EXPECT_THROW(evaluate(graph, weights, without), Error);
}

TEST(EvaluationCase, IsReproducibleAndInRange) {
  const Graph graph = parse(kLogical);
  const EvaluationCase a = EvaluationCase::decode(graph, 3), b = EvaluationCase::decode(graph, 3);
  EXPECT_EQ(a.batch().tokens, 2);
  EXPECT_EQ(a.batch().positions[1], 10);
  EXPECT_EQ(a.caches()[0].spec.window, 6);
  for (int32_t id : a.inputs().ids) EXPECT_TRUE(id >= 0 && id < 50);
  EXPECT_TRUE(std::ranges::equal(a.inputs().ids, b.inputs().ids));
  EXPECT_EQ(std::memcmp(a.caches()[0].data, b.caches()[0].data, 2 * a.caches()[0].page_bytes), 0);
  const EvaluationCase prefill = EvaluationCase::prefill(graph);
  EXPECT_EQ(prefill.batch().tokens, 8);
  EXPECT_EQ(prefill.batch().logits_row[0], 4);
  EXPECT_EQ(prefill.batch().logits_row[1], 7);
}

}  // namespace
}  // namespace hyalite

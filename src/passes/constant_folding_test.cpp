// What text tests cannot show: folding that reads the bytes of a weight.
#include <gtest/gtest.h>

#include <cstring>

#include "ir/parser.h"
#include "passes/pass_manager.h"
#include "passes/testing_pass.h"

namespace hyalite {
namespace {

constexpr const char* kText = R"(graph @model(%x: tensor<T x 4 x f32>, %batch: batch) -> (tensor<T x 4 x f32>) {
  %factors = weight {name = "rope_factors"} : tensor<2 x f32> at "rope_factors"
  %freqs = rope_frequencies %factors {theta = 10000.0, dims = 4} : tensor<2 x f32> at "freqs"
  %y = rope %x, %freqs, %batch {head_dim = 4} : tensor<T x 4 x f32> at "q.rope"
  return %y
}
)";

TEST(ConstantFolding, DividesFrequenciesByTheFactorsOfTheModel) {
  const float factors[] = {1, 4};
  std::vector<uint8_t> bytes(sizeof factors);
  std::memcpy(bytes.data(), factors, sizeof factors);
  WeightStore weights;
  weights.add_owned("rope_factors", {DType::f32, {Dim(2)}}, {"test", "rope_factors"}, std::move(bytes));
  Module module = parse_module(kText, "test");
  const Pass* const pipeline[] = {pass_named("constant-folding"), pass_named("dce")};
  run_passes(pipeline, module, {.weights = &weights});
  const Graph& graph = module.graphs[0];
  ASSERT_EQ(graph.node_count(), 2) << "the weight is not needed any more";
  std::vector<double> expected{1.0, static_cast<double>(0.01f / 4)};
  std::vector<double> values = graph.node(graph.order()[0]).attrs.reals("values");
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_NEAR(values[1], expected[1], 1e-9);
}

}  // namespace
}  // namespace hyalite

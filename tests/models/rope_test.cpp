// Rotary embedding far into a text against transformers: from config.json through the model's graph to cos and sin. The goldens come from
// tools/oracles/rope.py.
#include <gtest/gtest.h>

#include <cmath>

#include "base/json.h"
#include "importers/hf_config.h"
#include "models/model_builder.h"
#include "ops/op_test_util.h"

namespace hyalite {
namespace {

Graph graph_of(const Json& json) {
  const ModelConfig config = config_from_json(json, "config.json");
  WeightStore weights;
  for (const TensorSpec& spec : tensor_specs(config)) {
    TensorType type{DType::f32, {}};
    for (int64_t dim : spec.dims) type.dims.emplace_back(dim);
    std::vector<uint8_t> bytes(bytes_of(type, {}));
    weights.add_owned(spec.name, std::move(type), {"test", spec.name}, std::move(bytes));
  }
  return build_model(config, weights).graphs.at(0);
}

const Attrs& attrs_of(const Graph& graph, std::string_view op) {
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == op) return graph.node(id).attrs;
  HYALITE_CHECK(false, "no " + std::string(op));
  return graph.node(graph.order()[0]).attrs;
}

TEST(Rope, EqualsTransformersFarIntoAText) {
  for (const Json& golden : read_json_file(HYALITE_SOURCE_DIR "/tests/models/rope.json")) {
    SCOPED_TRACE(golden.at("name").get<std::string>());
    const Graph graph = graph_of(golden.at("config"));
    const std::vector<float> frequencies = run_op("rope_frequencies", {absent()}, attrs_of(graph, "rope_frequencies")).results[0];
    const auto expected = golden.at("frequencies").get<std::vector<double>>();
    const auto pairs = static_cast<int64_t>(frequencies.size());
    ASSERT_EQ(frequencies.size(), expected.size());
    for (int64_t i = 0; i < pairs; ++i) EXPECT_NEAR(frequencies[i] / expected[i], 1, 1e-6) << "pair " << i;
    std::vector<float> x(2 * pairs);
    std::fill_n(x.begin(), pairs, 1.0f);  // turns into cos, and 0 beside it into sin
    for (const Json& row : golden.at("rows")) {
      const int32_t position = row.at("position"), sequence = 0;
      const BatchView batch{.tokens = 1, .sequences = 1, .positions = &position, .sequence_of = &sequence};
      const Operand at = state(ValueType::batch());
      const std::vector<float> y =
          run_op("rope", {floats({1, 2 * pairs}, x), floats({pairs}, frequencies), at}, attrs_of(graph, "rope"), &batch).results[0];
      // Both sides round frequencies and angles to fp32, which far from the start is the larger part of a turn.
      const double tolerance = 2e-6 + 3e-7 * position;
      for (int64_t i = 0; i < pairs; ++i) {
        EXPECT_NEAR(y[i], row.at("cos")[i].get<double>(), tolerance) << "position " << position << ", pair " << i;
        EXPECT_NEAR(y[pairs + i], row.at("sin")[i].get<double>(), tolerance) << "position " << position << ", pair " << i;
      }
    }
  }
}

}  // namespace
}  // namespace hyalite

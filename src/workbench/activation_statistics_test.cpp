#include "workbench/activation_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "importers/testing/files.h"
#include "ir/evaluation_case.h"
#include "models/model_builder.h"
#include "tensor/encode.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

constexpr int kTokens = 70;  // two steps of unequal length

class ActivationStatisticsOf : public ::testing::TestWithParam<std::string_view> {
 protected:
  ActivationStatisticsOf() { write_tiny_model(place_.path() / "model", tiny_config(GetParam()), 3); }
  ImportedModel model() const { return import_model(place_.path() / "model"); }
  static CompileOptions options(int threads) {
    return {
        .kv_dtype = DType::f32, .machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar, .threads = threads};
  }

 private:
  testing::TemporaryDirectory place_;
};

// Means by column of every input of a matmul, from the reference evaluation of the logical graph.
ActivationStatistics reference_statistics(const ImportedModel& model, const Graph& graph, const EvaluationCase& step) {
  ActivationStatistics result;
  std::map<ValueId, ColumnStatistics> by_value;
  Evaluator(graph, model.weights).run(step.inputs(), [&](NodeId id, std::span<const TensorView> views) {
    const Node& node = graph.node(id);
    if (node.op->name == "matmul") {
      const Node& weight = graph.node(graph.value(node.operands[1]).producer);
      result[weight.attrs.text("name")] = by_value.at(node.operands[0]);
    }
    if (node.results.empty() || views[0].dtype != DType::f32 || views[0].rank != 2) return;
    ColumnStatistics& means = by_value[node.results[0]];
    means.rows = views[0].rows();
    for (int64_t c = 0; c < views[0].columns(); ++c) {
      double squares = 0, magnitudes = 0;
      for (int64_t r = 0; r < means.rows; ++r) {
        const double x = views[0].as<float>()[r * views[0].columns() + c];
        squares += x * x;
        magnitudes += std::fabs(x);
      }
      means.mean_square.push_back(squares / static_cast<double>(means.rows));
      means.mean_magnitude.push_back(magnitudes / static_cast<double>(means.rows));
    }
  });
  return result;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted, const std::string& what) {
  ASSERT_EQ(found.size(), wanted.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-3 * wanted[i] + 1e-7) << what << " column " << i;
}

TEST_P(ActivationStatisticsOf, EveryMatrixEqualTheReferenceEvaluation) {
  const ImportedModel reference = model();
  const Module module = build_model(reference.config, reference.weights);
  const EvaluationCase step(module.graphs[0], {kTokens}, {0}, 5);
  const ActivationStatistics wanted = reference_statistics(reference, module.graphs[0], step);
  std::vector<int32_t> ids(step.inputs().ids.begin(), step.inputs().ids.end());
  ids.push_back(ids[0]);  // what is left over a whole window is not run
  const ActivationStatistics found = measure_activations(model(), ids, kTokens, options(2));
  ASSERT_EQ(found.size(), wanted.size());
  const std::string head = reference.config.tied_embeddings ? "token_embd" : "output";
  for (const auto& [name, means] : wanted) {
    EXPECT_EQ(found.at(name).rows, kTokens) << name;
    if (name == head) continue;  // the case asks for the last row's logits only
    expect_near(found.at(name).mean_square, means.mean_square, name);
    expect_near(found.at(name).mean_magnitude, means.mean_magnitude, name);
  }
}

TEST_P(ActivationStatisticsOf, ThreadsAndWindowsChangeNothing) {
  std::vector<int32_t> ids(2 * kTokens);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 7 % 50);
  int windows = 0;
  const ActivationStatistics one = measure_activations(model(), ids, kTokens, options(1), [&] { ++windows; });
  EXPECT_EQ(windows, 2);
  const ActivationStatistics two = measure_activations(model(), ids, kTokens, options(2));
  for (const auto& [name, means] : one) {
    EXPECT_EQ(means.rows, 2 * kTokens);
    EXPECT_EQ(means.mean_square, two.at(name).mean_square) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ActivationStatisticsOf, ::testing::ValuesIn(tiny_families().begin(), tiny_families().end()));

// A tiny model with a head that head-screening takes; q8_0, or fp32 of the same values.
ImportedModel model_with_head(std::string_view family, DType dtype) {
  testing::TemporaryDirectory place;
  Json config = tiny_config(family);
  config["vocab_size"] = 1024;
  write_tiny_model(place.path() / "model", config, 3);
  ImportedModel model = import_model(place.path() / "model");
  WeightStore weights;
  for (const auto& [name, entry] : model.weights.entries()) {
    if (name != (model.config.tied_embeddings ? "token_embd" : "output")) {
      weights.add_shared(name, entry);
      continue;
    }
    const TensorView values = model.weights.view(name);
    const int64_t count = values.rows() * values.columns();
    std::vector<uint8_t> codes(row_bytes(DType::q8_0, count)), floats(row_bytes(DType::f32, count));
    encode(DType::q8_0, values.as<float>(), count, codes.data());
    format_of(DType::q8_0).decode(codes.data(), count / format_of(DType::q8_0).block_elements, reinterpret_cast<float*>(floats.data()));
    weights.add_owned(name, {dtype, entry.type.dims}, entry.source, dtype == DType::q8_0 ? codes : floats);
  }
  model.weights = std::move(weights);
  return model;
}

// The head of such a model is lm_head where it is q8_0 and a matmul where it is fp32.
TEST(ActivationStatistics, CountTheHeadWhateverItsOp) {
  const CompileOptions options{
      .kv_dtype = DType::f32, .machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar, .threads = 2};
  std::vector<int32_t> ids(kTokens);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 7 % 50);
  for (const auto& [family, head] : {std::pair("llama", "output"), std::pair("qwen2", "token_embd")}) {
    const ActivationStatistics plain = measure_activations(model_with_head(family, DType::f32), ids, kTokens, options);
    const ActivationStatistics screened = measure_activations(model_with_head(family, DType::q8_0), ids, kTokens, options);
    ASSERT_TRUE(screened.contains(head)) << family;
    EXPECT_EQ(screened.at(head).rows, kTokens) << family;
    EXPECT_EQ(screened.at(head).mean_square, plain.at(head).mean_square) << family;
    EXPECT_EQ(screened.at(head).mean_magnitude, plain.at(head).mean_magnitude) << family;
    EXPECT_EQ(screened.size(), plain.size()) << family;
  }
}

TEST(ActivationStatistics, RefuseATextShorterThanAWindow) {
  testing::TemporaryDirectory place;
  write_tiny_model(place.path() / "model", tiny_config("llama"), 1);
  try {
    measure_activations(import_model(place.path() / "model"), std::vector<int32_t>(9, 1), 10, {.machine = detect_machine()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("9 tokens"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hyalite

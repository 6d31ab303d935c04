#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {
    {"x", kTensor}, {"wq", kTensor}, {"wk", kTensor}, {"wv", kTensor}, {"bq", kTensor, true}, {"bk", kTensor, true}, {"bv", kTensor, true},
};
constexpr OperandSpec kResults[] = {{"q", kTensor}, {"k", kTensor}, {"v", kTensor}};
constexpr const char* kWeights[] = {"wq", "wk", "wv"};
constexpr const char* kBiases[] = {"bq", "bk", "bv"};
constexpr AttrSpec kAttrs[] = {HYALITE_LINEAR_ATTRS};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType& x = activation_of(problem, 0, "x");
  check_linear_attrs(problem);
  std::vector<ValueType> results;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t rows = weight_rows(problem, 1 + i, kWeights[i], columns_of(x));
    if (given(problem, 4 + i)) expect_vector(problem, 4 + i, kBiases[i], rows);
    results.push_back(ValueType::of(f32_matrix(x.dims[0], rows)));
  }
  return results;
}

Cost cost(const Problem& problem) {
  return linear_cost(problem, {1, 2, 3});
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView& x = args.inputs[0];
  const Activations rows(x.as<float>(), x.rows(), x.columns());
  for (int i = 0; i < 3; ++i) {
    const TensorView& w = args.inputs[1 + i];
    const int64_t n = w.rows();
    rows.multiply(w, FloatVector(args.inputs[4 + i]).data(), range.begin(n), range.end(n), args.outputs[i].as<float>(), n);
  }
}

}  // namespace

constinit const OpSpec op_fused_qkv{
    .name = "fused_qkv",
    .summary = "q = x wq^T + bq, k = x wk^T + bk, v = x wv^T + bv in one pass over x.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .evaluate = evaluate,
};

}  // namespace hyalite

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"w_gate", kTensor}, {"w_up", kTensor}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {{"activation", "text", true}, HYALITE_LINEAR_ATTRS};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType& x = activation_of(problem, 0, "x");
  check_linear_attrs(problem);
  check_choice(problem.attrs->text("activation"), "activation", {"silu", "gelu_tanh"});
  const int64_t rows = weight_rows(problem, 1, "w_gate", columns_of(x));
  expect(weight_rows(problem, 2, "w_up", columns_of(x)) == rows, "w_up", "must have " + std::to_string(rows) + " rows like w_gate");
  return {ValueType::of(f32_matrix(x.dims[0], rows))};
}

Cost cost(const Problem& problem) {
  return linear_cost(problem, {1, 2});
}

void bind(const Attrs& attrs, void* params) {
  static_cast<GluParams*>(params)->activation = attrs.text("activation") == "silu" ? GateActivation::silu : GateActivation::gelu_tanh;
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &x = args.inputs[0], &gate = args.inputs[1], &y = args.outputs[0];
  const int64_t n = gate.rows(), begin = range.begin(n), end = range.end(n), width = end - begin;
  const Activations rows(x.as<float>(), x.rows(), x.columns());
  std::vector<float> gates(x.rows() * width);
  // Column r of the weights lands in column r - begin of `gates`.
  rows.multiply(gate, nullptr, begin, end, gates.data() - begin, width);
  rows.multiply(args.inputs[2], nullptr, begin, end, y.as<float>(), n);
  auto* activate = static_cast<const GluParams*>(args.params)->activation == GateActivation::silu ? silu : gelu_tanh;
  for (int64_t t = 0; t < x.rows(); ++t)
    for (int64_t r = begin; r < end; ++r) {
      float& value = y.as<float>()[t * n + r];
      value = activate(gates[t * width + r - begin]) * value;
    }
}

}  // namespace

constinit const OpSpec op_fused_glu{
    .name = "fused_glu",
    .summary = "y = act(x w_gate^T) * (x w_up^T).",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .bind = bind,
    .evaluate = evaluate,
};

}  // namespace hyalite

// matmul and lm_head, which is one that may leave out what nobody asks for.
#include "ops/op_table.h"
#include "ops/params.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"w", kTensor}}, kHeadOperands[] = {{"x", kTensor}, {"w", kTensor}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {HYALITE_LINEAR_ATTRS};

std::vector<ValueType> product(const Problem& problem) {
  const TensorType& x = activation_of(problem, 0, "x");
  return {ValueType::of(f32_matrix(x.dims[0], weight_rows(problem, 1, "w", columns_of(x))))};
}

std::vector<ValueType> infer(const Problem& problem) {
  if (problem.attrs->text("activations", "f32") != "q8x2") check_linear_attrs(problem);
  return product(problem);
}

std::vector<ValueType> infer_head(const Problem& problem) {
  check_choice(problem.attrs->text("activations", "f32"), "activations", {"f32", "q8x2"});
  return product(problem);
}

Cost cost(const Problem& problem) {
  return linear_cost(problem, {1});
}

void bind(const Attrs& attrs, void* params) {
  *static_cast<MatmulParams*>(params) = {attrs.text("activations", "f32") == "q8x2" ? 2 : 1};
}

// Of lm_head all logits, whatever batch.top_only allows.
void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &x = args.inputs[0], &w = args.inputs[1];
  const int64_t n = w.rows();
  Activations(x.as<float>(), x.rows(), x.columns()).multiply(w, nullptr, range.begin(n), range.end(n), args.outputs[0].as<float>(), n);
}

}  // namespace

constinit const OpSpec op_matmul{
    .name = "matmul",
    .summary = "y = x w^T, with w stored [outputs, inputs].",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .bind = bind,
    .evaluate = evaluate,
};

constinit const OpSpec op_lm_head{
    .name = "lm_head",
    .summary = "Logits y = x w^T; where the batch asks for the top only, any that are below the largest of their row may be -inf.",
    .operands = kHeadOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer_head,
    .cost = cost,
    .bind = bind,
    .evaluate = evaluate,
};

}  // namespace hyalite

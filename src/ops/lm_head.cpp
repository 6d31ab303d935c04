#include "ops/op_table.h"
#include "ops/params.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"w", kTensor}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {HYALITE_LINEAR_ATTRS};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType& x = activation_of(problem, 0, "x");
  check_choice(problem.attrs->text("activations", "f32"), "activations", {"f32", "q8x2"});
  return {ValueType::of(f32_matrix(x.dims[0], weight_rows(problem, 1, "w", columns_of(x))))};
}

Cost cost(const Problem& problem) {
  return linear_cost(problem, {1});
}

void bind(const Attrs& attrs, void* params) {
  *static_cast<MatmulParams*>(params) = {attrs.text("activations", "f32") == "q8x2" ? 2 : 1};
}

// All of them, whatever batch.top_only allows.
void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &x = args.inputs[0], &w = args.inputs[1];
  const int64_t n = w.rows();
  Activations(x.as<float>(), x.rows(), x.columns()).multiply(w, nullptr, range.begin(n), range.end(n), args.outputs[0].as<float>(), n);
}

}  // namespace

constinit const OpSpec op_lm_head{
    .name = "lm_head",
    .summary = "Logits y = x w^T; where the batch asks for the top only, any that are below the largest of their row may be -inf.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .bind = bind,
    .evaluate = evaluate,
};

}  // namespace hyalite

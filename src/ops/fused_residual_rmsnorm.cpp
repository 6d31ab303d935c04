#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"y", kTensor}, {"post_norm", kTensor, true}, {"norm", kTensor}};
constexpr OperandSpec kResults[] = {{"sum", kTensor}, {"normed", kTensor}};
constexpr AttrSpec kAttrs[] = {{"eps", "real", true}};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType &x = activation_of(problem, 0, "x"), &y = activation_of(problem, 1, "y");
  expect(y == x, "y", "must be like x, is " + to_string(y) + " beside " + to_string(x));
  expect(problem.attrs->real("eps") >= 0, "eps", "must not be negative");
  if (given(problem, 2)) expect_vector(problem, 2, "post_norm", columns_of(x));
  expect_vector(problem, 3, "norm", columns_of(x));
  return {ValueType::of(x), ValueType::of(x)};
}

void bind(const Attrs& attrs, void* params) {
  static_cast<RmsNormParams*>(params)->eps = static_cast<float>(attrs.real("eps"));
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView& x = args.inputs[0];
  const int64_t columns = x.columns();
  const float eps = static_cast<const RmsNormParams*>(args.params)->eps;
  const FloatVector post_norm(args.inputs[2]), norm(args.inputs[3]);
  std::vector<float> scratch(columns);
  for (int64_t t = range.begin(x.rows()); t < range.end(x.rows()); ++t) {
    const float *left = x.as<float>() + t * columns, *right = args.inputs[1].as<float>() + t * columns;
    float* sum = args.outputs[0].as<float>() + t * columns;
    if (post_norm.data()) {
      rms_norm(right, post_norm.data(), columns, eps, scratch.data());
      right = scratch.data();
    }
    for (int64_t c = 0; c < columns; ++c) sum[c] = left[c] + right[c];
    rms_norm(sum, norm.data(), columns, eps, args.outputs[1].as<float>() + t * columns);
  }
}

}  // namespace

constinit const OpSpec op_fused_residual_rmsnorm{
    .name = "fused_residual_rmsnorm",
    .summary = "sum = x + y, with rms_norm(y, post_norm) for y where post_norm is given; normed = rms_norm(sum, norm).",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .bind = bind,
    .evaluate = evaluate,
};

}  // namespace hyalite

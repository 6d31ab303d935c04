#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"w", kTensor}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {{"eps", "real", true}};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType &x = activation_of(problem, 0, "x"), &w = tensor_of(problem, 1, "w");
  bool fits = w.rank() == 1 && !w.dims[0].is_symbol() && w.dims[0].value() > 0 && columns_of(x) % w.dims[0].value() == 0;
  expect(fits, "w", "must be a vector whose length divides the " + std::to_string(columns_of(x)) + " columns, is " + to_string(w));
  expect(problem.attrs->real("eps") >= 0, "eps", "must not be negative");
  return {ValueType::of(x)};
}

void bind(const Attrs& attrs, void* params) {
  static_cast<RmsNormParams*>(params)->eps = static_cast<float>(attrs.real("eps"));
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView& x = args.inputs[0];
  const FloatVector w(args.inputs[1]);
  const int64_t n = args.inputs[1].columns(), runs = x.elements() / n;
  for (int64_t r = range.begin(runs); r < range.end(runs); ++r)
    rms_norm(x.as<float>() + r * n, w.data(), n, static_cast<const RmsNormParams*>(args.params)->eps, args.outputs[0].as<float>() + r * n);
}

}  // namespace

constinit const OpSpec op_rms_norm{
    .name = "rms_norm",
    .summary = "y = w * x / sqrt(mean(x^2) + eps) over each run of len(w) columns.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .bind = bind,
    .evaluate = evaluate,
    .foldable = true,
};

}  // namespace hyalite

// add, mul, scale, silu, gelu_tanh, softcap: one result element for each element of x.
#include <cmath>

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kBinary[] = {{"x", kTensor}, {"y", kTensor}};
constexpr OperandSpec kUnary[] = {{"x", kTensor}};
constexpr OperandSpec kResults[] = {{"z", kTensor}};
constexpr AttrSpec kFactor[] = {{"factor", "real", true}};

const TensorType& f32_of(const Problem& problem, size_t index, const char* name) {
  const TensorType& type = tensor_of(problem, index, name);
  expect(type.dtype == DType::f32 && type.rank() > 0, name, "must be an f32 tensor, is " + to_string(type));
  return type;
}

std::vector<ValueType> infer_unary(const Problem& problem) {
  return {ValueType::of(f32_of(problem, 0, "x"))};
}

std::vector<ValueType> infer_binary(const Problem& problem) {
  const TensorType &x = f32_of(problem, 0, "x"), &y = tensor_of(problem, 1, "y");
  bool same = y.dtype == DType::f32 && y.dims == x.dims;
  bool vector = y.rank() == 1 && y.dims[0] == x.dims.back();
  expect(same || vector, "y", "must be like x or a vector of its columns, is " + to_string(y) + " beside " + to_string(x));
  return {ValueType::of(x)};
}

std::vector<ValueType> infer_softcap(const Problem& problem) {
  expect(problem.attrs->real("factor") > 0, "factor", "must be positive");
  return infer_unary(problem);
}

void bind_factor(const Attrs& attrs, void* params) {
  static_cast<ScaleParams*>(params)->factor = static_cast<float>(attrs.real("factor"));
}

template <class Function>
void map(const OpArgs& args, WorkRange range, Function function) {
  const TensorView& x = args.inputs[0];
  const int64_t n = x.elements();
  for (int64_t i = range.begin(n); i < range.end(n); ++i) args.outputs[0].as<float>()[i] = function(x.as<float>()[i]);
}

template <class Function>
void zip(const OpArgs& args, WorkRange range, Function function) {
  const TensorView &x = args.inputs[0], &y = args.inputs[1];
  const int64_t columns = x.columns();
  std::vector<float> scratch;
  for (int64_t r = range.begin(x.rows()); r < range.end(x.rows()); ++r) {
    const float* left = x.as<float>() + r * columns;
    const float* right = row_as_floats(y, y.rank == 1 ? 0 : r, scratch);
    for (int64_t c = 0; c < columns; ++c) args.outputs[0].as<float>()[r * columns + c] = function(left[c], right[c]);
  }
}

float factor_of(const OpArgs& args) {
  return static_cast<const ScaleParams*>(args.params)->factor;
}

}  // namespace

constinit const OpSpec op_add{
    .name = "add",
    .summary = "z = x + y; y has the shape of x, or is a vector added to each row.",
    .operands = kBinary,
    .results = kResults,
    .infer = infer_binary,
    .evaluate = [](const OpArgs& args, WorkRange range) { zip(args, range, [](float x, float y) { return x + y; }); },
    .foldable = true,
};

constinit const OpSpec op_mul{
    .name = "mul",
    .summary = "z = x * y; y has the shape of x, or is a vector that multiplies each row.",
    .operands = kBinary,
    .results = kResults,
    .infer = infer_binary,
    .evaluate = [](const OpArgs& args, WorkRange range) { zip(args, range, [](float x, float y) { return x * y; }); },
    .foldable = true,
};

constinit const OpSpec op_scale{
    .name = "scale",
    .summary = "z = factor * x.",
    .operands = kUnary,
    .results = kResults,
    .attrs = kFactor,
    .infer = infer_unary,
    .bind = bind_factor,
    .evaluate = [](const OpArgs& args, WorkRange range) { map(args, range, [f = factor_of(args)](float x) { return f * x; }); },
    .foldable = true,
};

constinit const OpSpec op_silu{
    .name = "silu",
    .summary = "z = x / (1 + exp(-x)).",
    .operands = kUnary,
    .results = kResults,
    .infer = infer_unary,
    .evaluate = [](const OpArgs& args, WorkRange range) { map(args, range, silu); },
    .foldable = true,
};

constinit const OpSpec op_gelu_tanh{
    .name = "gelu_tanh",
    .summary = "z = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).",
    .operands = kUnary,
    .results = kResults,
    .infer = infer_unary,
    .evaluate = [](const OpArgs& args, WorkRange range) { map(args, range, gelu_tanh); },
    .foldable = true,
};

constinit const OpSpec op_softcap{
    .name = "softcap",
    .summary = "z = factor * tanh(x / factor).",
    .operands = kUnary,
    .results = kResults,
    .attrs = kFactor,
    .infer = infer_softcap,
    .bind = bind_factor,
    .evaluate = [](const OpArgs& args,
                   WorkRange range) { map(args, range, [cap = factor_of(args)](float x) { return cap * std::tanh(x / cap); }); },
    .foldable = true,
};

}  // namespace hyalite

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"
#include "tensor/encode.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"w", kTensor}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {{"to", "text", true}, {"layout", "text", false}};

std::vector<ValueType> infer(const Problem& problem) {
  TensorType type = tensor_of(problem, 0, "w");
  const std::string& to = problem.attrs->text("to");
  const auto dtype = dtype_named(to);
  expect(dtype && can_encode(*dtype), "to", "must be a format that can be written, is \"" + to + "\"");
  type.dtype = *dtype;
  check_type(ValueType::of(type), "to");
  return {ValueType::of(type)};
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &w = args.inputs[0], &y = args.outputs[0];
  std::vector<float> scratch;
  for (int64_t r = range.begin(w.rows()); r < range.end(w.rows()); ++r)
    encode(y.dtype, row_as_floats(w, r, scratch), w.columns(), const_cast<uint8_t*>(y.row(r)));
}

}  // namespace

constinit const OpSpec op_convert{
    .name = "convert",
    .summary = "w re-encoded in format `to`; of weights, evaluated once when they are packed.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .evaluate = evaluate,
};

}  // namespace hyalite

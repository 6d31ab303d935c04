#include <algorithm>

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/rope_attrs.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"freqs", kTensor}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};
constexpr AttrSpec kAttrs[] = {{"head_dim", "int", true}, {"interleaved", "bool", false}, {"scale", "real", false}};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType& x = token_rows_of(problem, 0, "x");
  const int64_t head_dim = check_rope(problem, 1);
  expect(columns_of(x) % head_dim == 0, "x", "must have whole heads of " + std::to_string(head_dim) + ", is " + to_string(x));
  return {ValueType::of(x)};
}

void bind(const Attrs& attrs, void* params) {
  *static_cast<RopeParams*>(params) = rope_params(attrs);
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &x = args.inputs[0], &freqs = args.inputs[1];
  const auto& params = *static_cast<const RopeParams*>(args.params);
  const int64_t columns = x.columns();
  for (int64_t t = range.begin(x.rows()); t < range.end(x.rows()); ++t) {
    float* y = args.outputs[0].as<float>() + t * columns;
    if (y != x.as<float>() + t * columns) std::copy_n(x.as<float>() + t * columns, columns, y);
    for (int64_t head = 0; head < columns; head += params.head_dim)
      rope(y + head, freqs.as<float>(), freqs.columns(), args.batch->positions[t], params);
  }
}

}  // namespace

constinit const OpSpec op_rope{
    .name = "rope",
    .summary =
        "Each pair of the first 2 len(freqs) dimensions of a head turns by position * freqs[i]; cos and sin are multiplied by scale.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .bind = bind,
    .evaluate = evaluate,
};

}  // namespace hyalite

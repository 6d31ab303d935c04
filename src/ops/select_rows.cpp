#include <algorithm>

#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"x", kTensor}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};

std::vector<ValueType> infer(const Problem& problem) {
  return {ValueType::of(f32_matrix(Dim::logits_rows(), columns_of(token_rows_of(problem, 0, "x"))))};
}

Cost cost(const Problem& problem) {
  return {0, 2.0 * static_cast<double>(bytes_of(problem.results[0].tensor, problem.symbols))};
}

void evaluate(const OpArgs& args, WorkRange range) {
  const int64_t columns = args.inputs[0].columns(), rows = args.batch->logits_rows;
  for (int64_t r = range.begin(rows); r < range.end(rows); ++r)
    std::copy_n(args.inputs[0].as<float>() + args.batch->logits_row[r] * columns, columns, args.outputs[0].as<float>() + r * columns);
}

}  // namespace

constinit const OpSpec op_select_rows{
    .name = "select_rows",
    .summary = "The rows of x whose logits are asked for: y[r] = x[logits_row[r]].",
    .operands = kOperands,
    .results = kResults,
    .infer = infer,
    .cost = cost,
    .evaluate = evaluate,
};

}  // namespace hyalite

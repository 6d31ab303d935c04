#include <algorithm>

#include "base/error.h"
#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"ids", kTensor}, {"table", kTensor}};
constexpr OperandSpec kResults[] = {{"y", kTensor}};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType &ids = tensor_of(problem, 0, "ids"), &table = tensor_of(problem, 1, "table");
  expect(ids.dtype == DType::i32 && ids.rank() == 1, "ids", "must be an i32 vector, is " + to_string(ids));
  bool matrix = table.rank() == 2 && !table.dims[0].is_symbol() && !table.dims[1].is_symbol();
  expect(matrix, "table", "must be a matrix of constant size, is " + to_string(table));
  return {ValueType::of(f32_matrix(ids.dims[0], columns_of(table)))};
}

// One row of the table for each token, not the whole table.
Cost cost(const Problem& problem) {
  const double tokens = static_cast<double>(tensor_of(problem, 0, "ids").dims[0].bind(problem.symbols));
  const TensorType& table = tensor_of(problem, 1, "table");
  return {0, tokens * (4 + static_cast<double>(row_bytes(table.dtype, columns_of(table))) + 4.0 * static_cast<double>(columns_of(table)))};
}

void evaluate(const OpArgs& args, WorkRange range) {
  const TensorView &ids = args.inputs[0], &table = args.inputs[1];
  const int64_t tokens = ids.columns(), columns = table.columns();
  std::vector<float> scratch;
  for (int64_t t = range.begin(tokens); t < range.end(tokens); ++t) {
    const int32_t id = ids.as<int32_t>()[t];
    if (id < 0 || id >= table.rows())
      throw Error(ErrorCode::invalid_argument, "token " + std::to_string(t),
                  "id " + std::to_string(id) + " is outside 0.." + std::to_string(table.rows() - 1));
    const float* row = row_as_floats(table, id, scratch);
    std::copy(row, row + columns, args.outputs[0].as<float>() + t * columns);
  }
}

}  // namespace

constinit const OpSpec op_embed{
    .name = "embed",
    .summary = "y[t] = table[ids[t]].",
    .operands = kOperands,
    .results = kResults,
    .infer = infer,
    .cost = cost,
    .evaluate = evaluate,
};

}  // namespace hyalite

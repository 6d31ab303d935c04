#include "ops/type_rules.h"

#include <limits>

#include "base/error.h"

namespace hyalite {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw Error(ErrorCode::invalid_model, where, message);
}

}  // namespace

void check_type(const ValueType& type, const std::string& where) {
  if (type.kind != ValueType::Kind::tensor) return;
  const TensorType& tensor = type.tensor;
  if (tensor.rank() > kMaxRank) refuse(where, "a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
  for (const Dim& dim : tensor.dims)
    if (!dim.is_symbol() && dim.value() <= 0) refuse(where, "dimension " + std::to_string(dim.value()) + " is not positive");
  const int block = format_of(tensor.dtype).block_elements;
  if (block > 1) {
    bool whole = tensor.rank() > 0 && !tensor.dims.back().is_symbol() && tensor.dims.back().value() % block == 0;
    if (!whole) refuse(where, "columns of " + to_string(tensor) + " must be a multiple of " + std::to_string(block));
  }
  try {
    bytes_of(tensor, {1, 1, 1});
  } catch (const Error& error) {
    refuse(where, error.where() + ": " + error.message());
  }
}

void expect(bool fits, const char* name, const std::string& message) {
  if (!fits) refuse(name, message);
}

bool given(const Problem& problem, size_t index) {
  return index < problem.operands.size() && problem.operands[index].kind != ValueType::Kind::unknown;
}

const TensorType& tensor_of(const Problem& problem, size_t index, const char* name) {
  expect(given(problem, index), name, "has no known type");
  expect(problem.operands[index].kind == kTensor, name, "must be a tensor");
  return problem.operands[index].tensor;
}

int64_t columns_of(const TensorType& type) {
  return type.dims.back().value();
}

const TensorType& activation_of(const Problem& problem, size_t index, const char* name) {
  const TensorType& type = tensor_of(problem, index, name);
  expect(type.dtype == DType::f32 && type.rank() == 2 && !type.dims[1].is_symbol(), name,
         "must be an f32 matrix with constant columns, is " + to_string(type));
  return type;
}

const TensorType& token_rows_of(const Problem& problem, size_t index, const char* name) {
  const TensorType& type = activation_of(problem, index, name);
  expect(type.dims[0] == Dim::tokens(), name, "must have a row for each of the T tokens, is " + to_string(type));
  return type;
}

void expect_vector(const Problem& problem, size_t index, const char* name, int64_t length) {
  const TensorType& type = tensor_of(problem, index, name);
  expect(type.rank() == 1 && type.dims[0] == Dim(length), name,
         "must be a vector of " + std::to_string(length) + ", is " + to_string(type));
}

int64_t weight_rows(const Problem& problem, size_t index, const char* name, int64_t columns) {
  const TensorType& type = tensor_of(problem, index, name);
  bool fits = type.rank() == 2 && !type.dims[0].is_symbol() && type.dims[1] == Dim(columns);
  expect(fits, name, "must be a matrix with " + std::to_string(columns) + " columns, is " + to_string(type));
  return type.dims[0].value();
}

TensorType f32_matrix(Dim rows, int64_t columns) {
  return {DType::f32, {rows, Dim(columns)}};
}

int64_t positive_attr(const Problem& problem, const char* name) {
  int64_t value = problem.attrs->integer(name);
  expect(value > 0 && value <= std::numeric_limits<int32_t>::max(), name, "must be in 1..2147483647, is " + std::to_string(value));
  return value;
}

void check_layer(const Problem& problem) {
  const int64_t layer = problem.attrs->integer("layer");
  expect(layer >= 0 && layer < (int64_t{1} << 20), "layer", "must be in 0..1048575, is " + std::to_string(layer));
}

void check_choice(const std::string& value, const char* name, std::initializer_list<const char*> choices) {
  std::string list;
  for (const char* choice : choices) {
    if (value == choice) return;
    list += (list.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
  }
  refuse(name, "must be one of " + list + ", is \"" + value + "\"");
}

void check_linear_attrs(const Problem& problem) {
  check_choice(problem.attrs->text("activations", "f32"), "activations", {"f32", "q8", "bf16"});
}

Cost linear_cost(const Problem& problem, std::initializer_list<size_t> weights) {
  Cost cost;
  for (std::span<const ValueType> values : {problem.operands, problem.results})
    for (const ValueType& value : values)
      if (value.kind == kTensor) cost.bytes += static_cast<double>(bytes_of(value.tensor, problem.symbols));
  const double rows = static_cast<double>(tensor_of(problem, 0, "x").dims[0].bind(problem.symbols));
  for (size_t index : weights) {
    const TensorType& weight = tensor_of(problem, index, "weight");
    cost.flops += 2 * rows * static_cast<double>(weight.dims[0].value()) * static_cast<double>(weight.dims[1].value());
  }
  return cost;
}

}  // namespace hyalite

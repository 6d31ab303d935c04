#include <unordered_map>

#include "ops/op_table.h"

namespace hyalite {
namespace {

constexpr const OpSpec* kOps[] = {
#define OP(name) &op_##name,
#include "ops/ops.inc"
#undef OP
};

double bytes_of_values(std::span<const ValueType> values, const Symbols& symbols) {
  double bytes = 0;
  for (const ValueType& value : values)
    if (value.kind == ValueType::Kind::tensor) bytes += static_cast<double>(bytes_of(value.tensor, symbols));
  return bytes;
}

}  // namespace

std::span<const OpSpec* const> all_ops() {
  return kOps;
}

const OpSpec* find_op(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const OpSpec*> ops;
    for (const OpSpec* op : kOps) ops.emplace(op->name, op);
    return ops;
  }();
  auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

Cost cost_of(const OpSpec& op, const Problem& problem) {
  if (op.cost) return op.cost(problem);
  return {0, bytes_of_values(problem.operands, problem.symbols) + bytes_of_values(problem.results, problem.symbols)};
}

}  // namespace hyalite

#include "ops/op_table.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kResults[] = {{"c", kTensor}};
constexpr AttrSpec kAttrs[] = {{"values", "reals", true}};

std::vector<ValueType> infer(const Problem& problem) {
  const auto& values = problem.attrs->reals("values");
  expect(!values.empty(), "values", "must not be empty");
  return {ValueType::of({DType::f32, {Dim(static_cast<int64_t>(values.size()))}})};
}

}  // namespace

constinit const OpSpec op_constant{
    .name = "constant",
    .summary = "The f32 vector `values`.",
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
};

}  // namespace hyalite

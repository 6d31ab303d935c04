#include "kernels/cpu/targets.h"

namespace hyalite {

std::string refuse_unless_f32(const Problem& problem) {
  for (const ValueType& operand : problem.operands) {
    if (operand.kind == ValueType::Kind::tensor && operand.tensor.dtype != DType::f32) {
      return "an operand is " + to_string(operand.tensor) + ", not f32";
    }
  }
  return {};
}

}  // namespace hyalite

// add, mul, scale, softcap, silu, gelu_tanh, select_rows on every target.
#include "kernels/cpu/roofline.h"
#include "kernels/cpu/targets.h"
#include "ops/params.h"

namespace hyalite {

struct ElementwiseKernels {
  KernelRun add, mul, scale, softcap, silu, gelu_tanh, select_rows;
};

}  // namespace hyalite

#define HYALITE_BODY "kernels/cpu/elementwise/elementwise.inc"
#include "kernels/cpu/for_each_target.inc"

namespace hyalite {
namespace {

// Every result element takes a few operations: `flops` of them.
template <uint32_t needs, int flops>
double seconds(const Problem& problem, const Machine& machine) {
  Cost cost;
  for (const ValueType& operand : problem.operands) {
    if (operand.kind == ValueType::Kind::tensor) cost.bytes += static_cast<double>(bytes_of(operand.tensor, problem.symbols));
  }
  const double result = static_cast<double>(bytes_of(problem.results[0].tensor, problem.symbols));
  cost.bytes += result;
  cost.flops = result / sizeof(float) * flops;
  return roofline_seconds(cost, 0, machine, needs);
}

template <uint32_t needs, int flops>
constexpr KernelVariant row(std::string_view op, std::string_view name, KernelRun run, double error_bound) {
  return {.name = name,
          .op = op,
          .provider = "hyalite",
          .needs = needs,
          .phases = 1,
          .error_bound = error_bound,
          .refuses = refuse_unless_f32,
          .seconds = seconds<needs, flops>,
          .workspace = nullptr,
          .run = run};
}

// One rounding, or none: the bits of the reference.
template <uint32_t needs>
constexpr KernelVariant exact(std::string_view op, std::string_view name, KernelRun run) {
  return row<needs, 1>(op, name, run, 0);
}

// An exponential, a division and their roundings.
template <uint32_t needs>
constexpr KernelVariant transcendental(std::string_view op, std::string_view name, KernelRun run) {
  return row<needs, 30>(op, name, run, 4e-6);
}

}  // namespace

HYALITE_VARIANTS(add, kElementwise, exact)
HYALITE_VARIANTS(mul, kElementwise, exact)
HYALITE_VARIANTS(scale, kElementwise, exact)
HYALITE_VARIANTS(softcap, kElementwise, transcendental)
HYALITE_VARIANTS(silu, kElementwise, transcendental)
HYALITE_VARIANTS(gelu_tanh, kElementwise, transcendental)
HYALITE_VARIANTS(select_rows, kElementwise, exact)

}  // namespace hyalite

// rms_norm and fused_residual_rmsnorm on every target.
#include "kernels/cpu/roofline.h"
#include "kernels/cpu/targets.h"
#include "ops/params.h"

namespace hyalite {

struct NormKernels {
  KernelRun rms_norm, fused_residual_rmsnorm;
};

}  // namespace hyalite

#define HYALITE_BODY "kernels/cpu/norm/norm.inc"
#include "kernels/cpu/for_each_target.inc"

namespace hyalite {
namespace {

// Twice through the input, once through the rest.
template <uint32_t needs>
double seconds(const Problem& problem, const Machine& machine) {
  const double rows = static_cast<double>(bytes_of(problem.results[0].tensor, problem.symbols));
  const double vectors = static_cast<double>(problem.operands.size() + problem.results.size());
  return roofline_seconds({rows / sizeof(float) * 8, rows * (1 + vectors)}, 0, machine, needs);
}

template <uint32_t needs>
constexpr KernelVariant norm_variant(std::string_view op, std::string_view name, KernelRun run) {
  return {.name = name,
          .op = op,
          .provider = "hyalite",
          .needs = needs,
          .phases = 1,
          .error_bound = 4e-6,
          .refuses = refuse_unless_f32,
          .seconds = seconds<needs>,
          .workspace = nullptr,
          .run = run};
}

}  // namespace

HYALITE_VARIANTS(rms_norm, kNorm, norm_variant)
HYALITE_VARIANTS(fused_residual_rmsnorm, kNorm, norm_variant)

}  // namespace hyalite

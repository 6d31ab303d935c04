// rope and cache_append on every target.
#include "kernels/cpu/attention/tiles.h"
#include "kernels/cpu/roofline.h"
#include "kernels/cpu/targets.h"
#include "ops/params.h"

namespace hyalite {

struct RopeAppendKernels {
  KernelRun rope, cache_append;
};

}  // namespace hyalite

#define HYALITE_BODY "kernels/cpu/attention/rope_append.inc"
#include "kernels/cpu/for_each_target.inc"

namespace hyalite {
namespace {

std::string rope_refuses(const Problem& problem) {
  const int64_t head_dim = problem.attrs->integer("head_dim");
  if (head_dim > kMaxAttentionHeadDim) {
    return "head_dim is " + std::to_string(head_dim) + ", at most " + std::to_string(kMaxAttentionHeadDim) + " fits its tables";
  }
  return refuse_unless_f32(problem);
}

std::string append_refuses(const Problem& problem) {
  if (problem.cache == nullptr) return "the layer has no cache";
  return {};
}

double tensor_bytes(const Problem& problem, size_t operand) {
  return static_cast<double>(bytes_of(problem.operands[operand].tensor, problem.symbols));
}

// A sine and a cosine for each angle, once per token; then three operations for each element.
template <uint32_t needs>
double rope_seconds(const Problem& problem, const Machine& machine) {
  constexpr double seconds_per_angle = 25e-9;
  const double bytes = tensor_bytes(problem, 0), pairs = tensor_bytes(problem, 1) / sizeof(float);
  const double angles = pairs * static_cast<double>(problem.symbols.tokens);
  const double turning = roofline_seconds({bytes / sizeof(float) * 3, 2 * bytes}, 0, machine, needs);
  return turning + angles * seconds_per_angle / machine.cores;
}

template <uint32_t needs>
double append_seconds(const Problem& problem, const Machine& machine) {
  const double bytes = tensor_bytes(problem, 1);
  return scatter_seconds(bytes / sizeof(float), machine) + roofline_seconds({0, 4 * bytes}, 0, machine, needs);
}

template <uint32_t needs>
constexpr KernelVariant rope_variant(std::string_view op, std::string_view name, KernelRun run) {
  return {.name = name,
          .op = op,
          .provider = "hyalite",
          .needs = needs,
          .phases = 1,
          .error_bound = 0,
          .refuses = rope_refuses,
          .seconds = rope_seconds<needs>,
          .workspace = nullptr,
          .run = run};
}

template <uint32_t needs>
constexpr KernelVariant append_variant(std::string_view op, std::string_view name, KernelRun run) {
  KernelVariant variant = rope_variant<needs>(op, name, run);
  variant.refuses = append_refuses;
  variant.seconds = append_seconds<needs>;
  return variant;
}

}  // namespace

HYALITE_VARIANTS(rope, kRopeAppend, rope_variant)
HYALITE_VARIANTS(cache_append, kRopeAppend, append_variant)

}  // namespace hyalite

// What the variants of attention say of themselves, whichever source holds their code.
#pragma once

#include <string>

#include "kernels/cpu/attention/tiles.h"
#include "kernels/cpu/roofline.h"
#include "kernels/cpu/targets.h"
#include "ops/attention.h"

namespace hyalite::attention {

inline AttentionParams params_of(const Problem& problem) {
  AttentionParams params;
  bind_attention(*problem.attrs, &params);
  return params;
}

inline std::string refuses(const Problem& problem) {
  const AttentionParams params = params_of(problem);
  if (params.head_dim > kMaxAttentionHeadDim) {
    return "head_dim is " + std::to_string(params.head_dim) + ", at most " + std::to_string(kMaxAttentionHeadDim) + " fits its tiles";
  }
  if (problem.cache == nullptr) return "the layer has no cache";
  return {};
}

// Queries times keys and weights times values run at most of the FMA peak; the exponentials and edges take the rest.
template <uint32_t needs>
double seconds(const Problem& problem, const Machine& machine) {
  constexpr double overhead = 1.6;
  Cost cost = attention_cost(problem);
  cost.flops *= overhead;
  const double activations = 2.0 * static_cast<double>(bytes_of(problem.results[0].tensor, problem.symbols));
  return roofline_seconds(cost, cost.bytes - activations, machine, needs);
}

template <uint32_t needs>
constexpr KernelVariant prefill(std::string_view op, std::string_view name, KernelRun run) {
  return {.name = name,
          .op = op,
          .provider = "hyalite",
          .needs = needs,
          .phases = 1,
          .error_bound = 2e-5,
          .refuses = refuses,
          .seconds = seconds<needs>,
          .workspace = nullptr,
          .run = run};
}

}  // namespace hyalite::attention

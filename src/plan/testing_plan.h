// For tests: small lowered graphs to plan, with weights in a store.
#pragma once

#include <string>

#include "ir/parser.h"
#include "plan/planner.h"

namespace hyalite::testing {

inline Graph graph_of(const std::string& text) {
  return parse_module(text, "graph").graphs.front();
}

// A decode graph of `layers` gated blocks without attention (rms_norm, fused_glu, matmul, add) and a head.
inline Graph mlp_graph(int layers) {
  std::string text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch) -> (tensor<L x 96 x f32>) {\n"
      "  %table = weight {name = \"table\", layout = \"rows\"} : tensor<96 x 64 x f32>\n"
      "  %x0 = embed %ids, %table : tensor<T x 64 x f32>\n";
  for (int i = 0; i < layers; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  %n" + n + " = weight {name = \"n" + n + "\"} : tensor<64 x f32>\n";
    text += "  %g" + n + " = weight {name = \"g" + n + "\", layout = \"rows16\"} : tensor<128 x 64 x f32>\n";
    text += "  %u" + n + " = weight {name = \"u" + n + "\", layout = \"rows16\"} : tensor<128 x 64 x f32>\n";
    text += "  %d" + n + " = weight {name = \"d" + n + "\", layout = \"rows16\"} : tensor<64 x 128 x f32>\n";
    text += "  %h" + n + " = rms_norm %x" + n + ", %n" + n + " {eps = 1e-05} : tensor<T x 64 x f32>\n";
    text += "  %a" + n + " = fused_glu %h" + n + ", %g" + n + ", %u" + n + " {activation = \"silu\"} : tensor<T x 128 x f32>\n";
    text += "  %o" + n + " = matmul %a" + n + ", %d" + n + " : tensor<T x 64 x f32>\n";
    text += "  %x" + next + " = add %x" + n + ", %o" + n + " : tensor<T x 64 x f32>\n";
  }
  text += "  %head = weight {name = \"head\", layout = \"rows16\"} : tensor<96 x 64 x f32>\n";
  text += "  %last = select_rows %x" + std::to_string(layers) + ", %batch : tensor<L x 64 x f32>\n";
  text += "  %logits = matmul %last, %head : tensor<L x 96 x f32>\n  return %logits\n}\n";
  return graph_of(text);
}

inline PlanOptions plan_options(IsaLevel level, Numerics numerics = Numerics::deterministic) {
  Machine machine;
  machine.features = features_of(level);
  return {.numerics = numerics, .machine = machine, .isa = level, .max_symbols = {8, 8, 8}, .max_positions = 64};
}

// All three planning passes.
inline ExecutionPlan make_plan(const Graph& graph, const std::vector<CacheSpec>& caches, const PlanOptions& options) {
  ExecutionPlan plan = select_kernels(graph, caches, options);
  schedule_steps(plan);
  place_activations(plan);
  return plan;
}

}  // namespace hyalite::testing

#include "plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "plan/testing_plan.h"

namespace hyalite {
namespace {

using testing::mlp_graph;
using testing::plan_options;

bool uses(const ExecutionPlan& plan, std::string_view word) {
  for (const PlanStep& step : plan.steps)
    if (step.variant->name.find(word) != std::string_view::npos) return true;
  return false;
}

TEST(KernelSelection, AForcedInstructionSetIsWhatThePlanNames) {
  EXPECT_FALSE(uses(testing::make_plan(mlp_graph(2), {}, plan_options(IsaLevel::scalar)), "avx"));
  EXPECT_FALSE(uses(testing::make_plan(mlp_graph(2), {}, plan_options(IsaLevel::avx2)), "avx512"));
  EXPECT_TRUE(uses(testing::make_plan(mlp_graph(2), {}, plan_options(IsaLevel::avx2)), "avx2"));
  EXPECT_TRUE(uses(testing::make_plan(mlp_graph(2), {}, plan_options(IsaLevel::avx512)), "avx512"));
}

TEST(KernelSelection, ReferenceNumericsTakeNothingButTheReference) {
  ExecutionPlan plan = testing::make_plan(mlp_graph(1), {}, plan_options(IsaLevel::avx512, Numerics::reference));
  for (const PlanStep& step : plan.steps) EXPECT_TRUE(step.variant->name.ends_with(".reference")) << step.variant->name;
  for (const PlanWeight& weight : plan.weights) EXPECT_TRUE(weight.packed.empty()) << weight.name;
}

TEST(KernelSelection, EveryStepSaysWhyAndWhatWasRefused) {
  ExecutionPlan plan = testing::make_plan(mlp_graph(1), {}, plan_options(IsaLevel::avx2));
  for (const PlanStep& step : plan.steps) {
    EXPECT_FALSE(step.reason.empty());
    EXPECT_GT(step.cost.bytes, 0) << step.path;
    EXPECT_FALSE(step.refused.empty()) << step.variant->name;
    for (const RefusedVariant& one : step.refused) EXPECT_FALSE(one.why.empty()) << one.variant;
  }
}

// What planning `text` says is wrong with it; empty where nothing is.
std::string refusal(const std::string& text, const std::vector<CacheSpec>& caches = {}) {
  try {
    testing::make_plan(testing::graph_of(text), caches, plan_options(IsaLevel::avx2));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model) << error.what();
    return error.what();
  }
  return "";
}

TEST(KernelSelection, AnUnloweredOpIsNamed) {
  Graph graph = mlp_graph(1);
  graph.set_outputs({});
  EXPECT_THROW(testing::make_plan(graph, {}, plan_options(IsaLevel::avx2)), Error);
  const char* text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch, %kv: cache) -> (tensor<L x 8 x f32>) {\n"
      "  %table = weight {name = \"table\"} : tensor<32 x 8 x f32>\n"
      "  %x = embed %ids, %table : tensor<T x 8 x f32>\n"
      "  %y, %kv1 = grouped_query_attention %x, %x, %x, %kv, %batch {layer = 0, heads = 2, kv_heads = 2, head_dim = 4, scale = 0.5}"
      " : tensor<T x 8 x f32>, cache at \"blk.0.attn\"\n"
      "  %last = select_rows %y, %batch : tensor<L x 8 x f32>\n  return %last\n}\n";
  EXPECT_NE(refusal(text, {CacheSpec{.kv_heads = 2, .head_dim = 4}}).find("blk.0.attn"), std::string::npos);
}

TEST(KernelSelection, AStepMustFitItsCache) {
  const char* text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch, %kv: cache) -> (tensor<L x 8 x f32>) {\n"
      "  %table = weight {name = \"table\"} : tensor<32 x 8 x f32>\n"
      "  %x = embed %ids, %table : tensor<T x 8 x f32>\n"
      "  %kv1 = cache_append %kv, %x, %x, %batch {layer = 0, kv_heads = 2, head_dim = 4} : cache\n"
      "  %y = paged_attention_decode %x, %kv1, %batch {layer = 0, heads = 2, kv_heads = 2, head_dim = 4, scale = 0.5, window = 8}"
      " : tensor<T x 8 x f32>\n"
      "  %last = select_rows %y, %batch : tensor<L x 8 x f32>\n  return %last\n}\n";
  EXPECT_EQ(refusal(text, {CacheSpec{.kv_heads = 2, .head_dim = 4}}), "");
  EXPECT_NE(refusal(text, {CacheSpec{.kv_heads = 1, .head_dim = 4}}), "");
  EXPECT_EQ(refusal(text, {CacheSpec{CacheSpec::Kind::sliding_window, 2, 4, 8}}), "");
  EXPECT_NE(refusal(text, {CacheSpec{CacheSpec::Kind::sliding_window, 2, 4, 4}}), "");
}

TEST(KernelSelection, AGraphTakesIdsAndGivesLogits) {
  EXPECT_NE(refusal("graph @decode(%x: tensor<T x 8 x f32>) -> (tensor<T x 8 x f32>) {\n"
                    "  %y = add %x, %x : tensor<T x 8 x f32>\n  return %y\n}\n")
                .find("ids"),
            std::string::npos);
  EXPECT_NE(refusal("graph @decode(%ids: tensor<T x i32>) -> (tensor<32 x 8 x f32>) {\n"
                    "  %w = weight {name = \"w\"} : tensor<32 x 8 x f32>\n  return %w\n}\n")
                .find("logits"),
            std::string::npos);
  EXPECT_NE(refusal("graph @decode(%ids: tensor<T x i32>) -> (tensor<T x 8 x f32>) {\n"
                    "  %w = weight {name = \"w\"} : tensor<32 x 8 x f32>\n"
                    "  %x = embed %ids, %w : tensor<T x 8 x f32>\n  return %x\n}\n")
                .find("L rows"),
            std::string::npos);
}

TEST(KernelSelection, OnlyWeightsAreConverted) {
  const std::string refused = refusal(
      "graph @decode(%ids: tensor<T x i32>, %batch: batch) -> (tensor<L x 8 x f32>) {\n"
      "  %w = weight {name = \"w\"} : tensor<32 x 8 x f32>\n"
      "  %x = embed %ids, %w : tensor<T x 8 x f32>\n"
      "  %c = convert %x {to = \"f32\"} : tensor<T x 8 x f32> at \"here\"\n"
      "  %last = select_rows %c, %batch : tensor<L x 8 x f32>\n  return %last\n}\n");
  EXPECT_NE(refused.find("here: converts what is no weight"), std::string::npos) << refused;
}

// Values that are alive at the same step must not share a byte.
TEST(MemoryPlanning, LiveValuesNeverOverlap) {
  for (int layers : {1, 2, 7}) {
    ExecutionPlan plan = testing::make_plan(mlp_graph(layers), {}, plan_options(IsaLevel::avx2));
    struct Life {
      int64_t offset, end;
      int first, last;
    };
    std::map<std::string, Life> lives;
    for (int i = 0; i < static_cast<int>(plan.steps.size()); ++i) {
      for (const PlanOperand& in : plan.steps[i].inputs)
        if (in.kind == PlanOperand::Kind::arena) lives.at(in.name).last = i;
      for (const PlanOperand& out : plan.steps[i].outputs)
        lives[out.name] = {out.offset, out.offset + bytes_of(out.type.tensor, plan.max_symbols), i, i};
    }
    lives.at(plan.logits.name).last = static_cast<int>(plan.steps.size());
    int64_t unshared = 0;
    for (const auto& [a, x] : lives) {
      unshared += x.end - x.offset;
      EXPECT_LE(x.end, plan.arena_bytes);
      for (const auto& [b, y] : lives)
        if (a < b && x.first <= y.last && y.first <= x.last) {
          EXPECT_TRUE(x.end <= y.offset || y.end <= x.offset) << a << " and " << b;
        }
    }
    if (layers == 7) {
      EXPECT_LT(plan.arena_bytes, unshared / 3);
    }
  }
}

TEST(Scheduling, RunsFirstWhatLetsMemoryGo) {
  // Two independent chains: the one whose input dies and shrinks goes first, though it stands second.
  const char* text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch) -> (tensor<L x 8 x f32>) {\n"
      "  %table = weight {name = \"table\"} : tensor<32 x 64 x f32>\n"
      "  %narrow = weight {name = \"narrow\"} : tensor<8 x 64 x f32>\n"
      "  %wide = weight {name = \"wide\"} : tensor<512 x 64 x f32>\n"
      "  %back = weight {name = \"back\"} : tensor<8 x 512 x f32>\n"
      "  %x = embed %ids, %table : tensor<T x 64 x f32>\n"
      "  %w = matmul %x, %wide : tensor<T x 512 x f32>\n"
      "  %n = matmul %x, %narrow : tensor<T x 8 x f32>\n"
      "  %b = matmul %w, %back : tensor<T x 8 x f32>\n"
      "  %y = add %b, %n : tensor<T x 8 x f32>\n"
      "  %last = select_rows %y, %batch : tensor<L x 8 x f32>\n"
      "  return %last\n}\n";
  ExecutionPlan plan = select_kernels(parse_module(text, "chains").graphs[0], {}, plan_options(IsaLevel::scalar, Numerics::reference));
  EXPECT_GT(schedule_steps(plan), 0);
  std::vector<std::string> order;
  for (const PlanStep& step : plan.steps) order.push_back(step.outputs[0].name);
  EXPECT_EQ(order, (std::vector<std::string>{"x", "n", "w", "b", "y", "last"}));
}

TEST(Scheduling, ReadsAStateBeforeItIsChanged) {
  // The second append needs less than the attention before it; nothing but the cache holds it back.
  const char* text =
      "graph @decode(%ids: tensor<T x i32>, %batch: batch, %kv: cache) -> (tensor<L x 8 x f32>) {\n"
      "  %table = weight {name = \"table\"} : tensor<32 x 8 x f32>\n"
      "  %x = embed %ids, %table : tensor<T x 8 x f32>\n"
      "  %kv1 = cache_append %kv, %x, %x, %batch {layer = 0, kv_heads = 2, head_dim = 4} : cache\n"
      "  %y = paged_attention_decode %x, %kv1, %batch {layer = 0, heads = 2, kv_heads = 2, head_dim = 4, scale = 0.5}"
      " : tensor<T x 8 x f32>\n"
      "  %kv2 = cache_append %kv1, %x, %x, %batch {layer = 0, kv_heads = 2, head_dim = 4} : cache\n"
      "  %z = paged_attention_decode %x, %kv2, %batch {layer = 0, heads = 2, kv_heads = 2, head_dim = 4, scale = 0.5}"
      " : tensor<T x 8 x f32>\n"
      "  %sum = add %y, %z : tensor<T x 8 x f32>\n"
      "  %last = select_rows %sum, %batch : tensor<L x 8 x f32>\n"
      "  return %last\n}\n";
  ExecutionPlan plan = select_kernels(testing::graph_of(text), {CacheSpec{.kv_heads = 2, .head_dim = 4}}, plan_options(IsaLevel::avx2));
  schedule_steps(plan);
  std::vector<std::string> order;
  for (const PlanStep& step : plan.steps) order.push_back(step.outputs[0].name);
  EXPECT_LT(std::ranges::find(order, "y"), std::ranges::find(order, "kv2"));
}

}  // namespace
}  // namespace hyalite

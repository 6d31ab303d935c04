#include "plan/variant_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "plan/problem_key.h"
#include "plan/testing_plan.h"

namespace hyalite {
namespace {

// The key that the planner looks for at the first step of an op.
std::string key_of(const ExecutionPlan& plan, std::string_view op, const PlanOptions& options) {
  const PlanStep& step = *std::ranges::find_if(plan.steps, [&](const PlanStep& one) { return one.op->name == op; });
  std::vector<ValueType> operands, results;
  for (const PlanOperand& one : step.inputs) operands.push_back(one.type);
  for (const PlanOperand& one : step.outputs) results.push_back(one.type);
  return problem_key_of(step, {.operands = operands, .results = results, .attrs = &step.attrs, .symbols = plan.max_symbols}, options);
}

class TunedSelection : public ::testing::Test {
 protected:
  // A record that measured `chosen` to be faster than the first of the op.
  ExecutionPlan plan_with(const std::string& first, const std::string& chosen, std::string_view op = "rms_norm") {
    record_.choices[key_of(testing::make_plan(graph_, {}, options_), op, options_)] =
        choice_of({timing_of(first, {47, 47, 47}), timing_of(chosen, {41.2, 41.2, 41.2})});
    options_.tuned = &record_;
    return testing::make_plan(graph_, {}, options_);
  }
  static const PlanStep& first_of(const ExecutionPlan& plan, std::string_view op) {
    return *std::ranges::find_if(plan.steps, [&](const PlanStep& one) { return one.op->name == op; });
  }

  Graph graph_ = testing::mlp_graph(2);
  PlanOptions options_ = testing::plan_options(IsaLevel::avx512);
  TuneRecord record_;
};

TEST_F(TunedSelection, TheMeasuredVariantRunsAndSaysSo) {
  const ExecutionPlan plan = plan_with("rms_norm.avx512", "rms_norm.avx2");
  int tuned = 0;
  for (const PlanStep& step : plan.steps) {
    if (step.op->name != "rms_norm") continue;
    ++tuned;
    EXPECT_EQ(step.variant->name, "rms_norm.avx2");
    EXPECT_EQ(step.tuned_us, 41.2);
    EXPECT_TRUE(step.reason.starts_with("tuned: 41.2 us against 47.0 us of rms_norm.avx512, 3 samples")) << step.reason;
    ASSERT_EQ(step.refused.size(), 2u);
    EXPECT_EQ(step.refused[0].variant, "rms_norm.avx512");
    EXPECT_EQ(step.refused[0].why, "slower in the tune record: 47.0 us against 41.2 us, 3 samples");
  }
  EXPECT_EQ(tuned, 2) << "every layer has the same problem";
  EXPECT_EQ(first_of(plan, "add").variant->name, "add.avx512");
  EXPECT_EQ(first_of(plan, "add").tuned_us, 0);
}

TEST_F(TunedSelection, APlanKeepsItInItsText) {
  const ExecutionPlan plan = plan_with("rms_norm.avx512", "rms_norm.avx2");
  const ExecutionPlan back = plan_from_json(to_json(plan), "schedule.json");
  EXPECT_EQ(to_json(back), to_json(plan));
  EXPECT_EQ(first_of(back, "rms_norm").tuned_us, 41.2);
}

TEST_F(TunedSelection, WhatIsNotUsableIsPassedOver) {
  const ExecutionPlan other_op = plan_with("rms_norm.avx512", "add.avx2");
  EXPECT_EQ(first_of(other_op, "rms_norm").variant->name, "rms_norm.avx512");
  EXPECT_TRUE(first_of(other_op, "rms_norm").reason.starts_with("first usable")) << first_of(other_op, "rms_norm").reason;
  const ExecutionPlan other_format = plan_with("matmul.f32.avx512", "matmul.f16.avx2", "matmul");
  EXPECT_EQ(first_of(other_format, "matmul").variant->name, "matmul.f32.avx512");
}

TEST_F(TunedSelection, OtherScopesHaveOtherProblems) {
  plan_with("rms_norm.avx512", "rms_norm.avx2");
  for (const auto& change : std::vector<std::function<void(PlanOptions&)>>{[](PlanOptions& o) { o.threads = 7; },
                                                                           [](PlanOptions& o) { o.numerics = Numerics::fast; },
                                                                           [](PlanOptions& o) { o.max_symbols.tokens = 9; }}) {
    PlanOptions options = options_;
    change(options);
    EXPECT_EQ(first_of(testing::make_plan(graph_, {}, options), "rms_norm").variant->name, "rms_norm.avx512");
  }
  PlanOptions options = options_;
  options.max_symbols.tokens = 2;  // 8 before: the same range
  EXPECT_EQ(first_of(testing::make_plan(graph_, {}, options), "rms_norm").variant->name, "rms_norm.avx2");
}

// A provider whose results depend on the company of a row.
TEST_F(TunedSelection, OnlyFastNumericsAndTheirRecordChooseOneDnn) {
  const std::string provider = "matmul.f32.onednn", own = "matmul.f32.avx512";
  options_.max_symbols = {32, 32, 32};
  const auto why = [](const ExecutionPlan& plan, const std::string& name) {
    return std::ranges::find(first_of(plan, "matmul").refused, name, &RefusedVariant::variant)->why;
  };
  const ExecutionPlan careful = plan_with(own, provider, "matmul");
  EXPECT_EQ(first_of(careful, "matmul").variant->name, own);
  EXPECT_EQ(why(careful, provider), "its results depend on how many rows are multiplied at once, which --numerics deterministic excludes");

  options_.numerics = Numerics::fast;
  options_.tuned = nullptr;
  const ExecutionPlan untuned = testing::make_plan(graph_, {}, options_);
  EXPECT_EQ(first_of(untuned, "matmul").variant->name, own);
  const std::string missing = lacks(*find_variant(provider), options_.machine.features);
  const ExecutionPlan tuned = plan_with(own, provider, "matmul");
  if (missing.empty()) {
    EXPECT_TRUE(why(untuned, provider).starts_with("usable, but listed after " + own)) << why(untuned, provider);
    EXPECT_EQ(first_of(tuned, "matmul").variant->name, provider);
    EXPECT_TRUE(why(tuned, "matmul.f32.scalar").starts_with("usable, but not in the tune record")) << why(tuned, "matmul.f32.scalar");
  } else {
    EXPECT_EQ(why(untuned, provider), missing);
    EXPECT_EQ(first_of(tuned, "matmul").variant->name, own) << "its library has gone since the record was made";
  }
}

TEST_F(TunedSelection, ReferenceNumericsStayTheReference) {
  options_ = testing::plan_options(IsaLevel::avx512, Numerics::reference);
  const ExecutionPlan plan = plan_with("rms_norm.avx512", "rms_norm.avx2");
  EXPECT_EQ(first_of(plan, "rms_norm").variant->name, "rms_norm.reference");
  EXPECT_TRUE(usable_variants(first_of(plan, "rms_norm"), {}, options_).empty());
}

TEST(ProblemKey, NamesWhatMattersAndNothingElse) {
  const ExecutionPlan plan = testing::make_plan(testing::mlp_graph(1), {}, testing::plan_options(IsaLevel::avx512));
  EXPECT_EQ(key_of(plan, "matmul", testing::plan_options(IsaLevel::avx512)),
            "matmul f32[2-8 x 128] f32[64 x 128] -> f32[2-8 x 64] rows16, avx512 deterministic 1 thread");
  EXPECT_EQ(key_of(plan, "rms_norm", testing::plan_options(IsaLevel::avx512)),
            "rms_norm f32[2-8 x 64] f32[64] -> f32[2-8 x 64], avx512 deterministic 1 thread");
}

TEST(ProblemKey, RowsGoByRanges) {
  for (auto [rows, range] : std::vector<std::pair<int64_t, std::string>>{
           {1, "1"}, {2, "2-8"}, {8, "2-8"}, {9, "9-64"}, {64, "9-64"}, {65, "65+"}, {4096, "65+"}})
    EXPECT_EQ(row_range(rows), range);
}

}  // namespace
}  // namespace hyalite

#include "workbench/step_profile.h"

#include <gtest/gtest.h>

#include "compile/load.h"
#include "importers/testing/files.h"
#include "runtime/executor.h"
#include "workbench/benchmark.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

constexpr int kThreads = 2;

class StepProfileTest : public ::testing::Test {
 protected:
  StepProfileTest() {
    const std::filesystem::path path = place_.path() / "model";
    write_tiny_model(path, tiny_config("llama"), 1);
    CompileOptions options;
    options.machine = machine_;
    options.isa = IsaLevel::scalar;
    options.threads = kThreads;
    options.max_positions = 64;
    options.max_symbols = {16, 1, 1};
    ThreadPool pool(kThreads);
    model_ = load_model(path, options, pool);
  }

  hyalite::testing::TemporaryDirectory place_;
  Machine machine_ = restrict_isa(detect_machine(), IsaLevel::scalar);
  std::shared_ptr<ModelPlan> model_;
};

TEST_F(StepProfileTest, GroupsEveryStepOnce) {
  const ExecutionPlan& plan = model_->decode;
  ObservedRun run{{1, 1, 1}, 32, std::vector<int64_t>(plan.steps.size(), 2000)};
  const std::vector<StepGroup> groups = profile_steps(plan, {&run, 1}, machine_);
  int64_t steps = 0;
  double bytes = 0;
  for (const StepGroup& group : groups) {
    steps += group.steps;
    bytes += group.cost.bytes * static_cast<double>(group.steps);
    EXPECT_DOUBLE_EQ(group.measured_us, 2);
    EXPECT_FALSE(group.shape.empty()) << group.variant;
    EXPECT_GT(group.floor_us, 0) << group.variant;
  }
  EXPECT_EQ(steps, static_cast<int64_t>(plan.steps.size()));
  EXPECT_LT(groups.size(), plan.steps.size() / 2);  // layers share their groups
  EXPECT_NEAR(bytes, step_bytes(plan, 32), 1);
}

TEST_F(StepProfileTest, TheFloorIsTheLongerOfBytesAndOperations) {
  Machine machine = machine_;
  const ExecutionPlan& plan = model_->decode;
  ObservedRun run{{1, 1, 1}, 32, std::vector<int64_t>(plan.steps.size(), 1000)};
  machine.read_bytes_per_s = 1e9;
  machine.f32_flops_per_s = machine.int8_ops_per_s = 1e15;
  for (const StepGroup& group : profile_steps(plan, {&run, 1}, machine)) {
    EXPECT_TRUE(group.memory_bound);
    EXPECT_NEAR(group.floor_us, group.cost.bytes / 1e3, 1e-6);
    EXPECT_NEAR(group.roofline_share(), group.floor_us, 1e-6);
  }
  machine.read_bytes_per_s = 1e15;
  machine.f32_flops_per_s = 1e6;
  for (const StepGroup& group : profile_steps(plan, {&run, 1}, machine)) {
    if (group.cost.flops == 0) continue;
    EXPECT_EQ(group.arithmetic, "f32");  // of a model in fp32
    EXPECT_NEAR(group.floor_us, group.cost.flops, 1e-6);
  }
}

TEST_F(StepProfileTest, ABenchmarkObservesBothPlansBesideItsSamples) {
  const Tokenizer tokenizer(model_->tokenizer);
  Engine engine(model_, tokenizer, {.threads = kThreads, .max_tokens = 64, .prefill_chunk = 16});
  const BenchmarkRuns runs = run_benchmark(engine, {.prompt_tokens = 24, .decode_tokens = 4, .repeats = 2, .warmup = 0}, nullptr);
  EXPECT_EQ(runs.samples.size(), 2U);
  ASSERT_FALSE(runs.prefill.empty());
  EXPECT_EQ(runs.prefill[0].symbols.tokens, 16);
  EXPECT_EQ(runs.prefill[0].cached, 8);
  EXPECT_EQ(runs.prefill[0].nanoseconds.size(), model_->prefill.steps.size());
  ASSERT_EQ(runs.decode.size(), 4U);
  EXPECT_EQ(runs.decode[3].cached, 27);
  EXPECT_EQ(runs.decode[3].nanoseconds.size(), model_->decode.steps.size());
}

TEST_F(StepProfileTest, ThereIsABarrierAfterEveryPhase) {
  EXPECT_GE(barriers_of(model_->decode), static_cast<int64_t>(model_->decode.steps.size()));
  ThreadPool threads(kThreads);
  EXPECT_GT(measure_barrier_ns(threads), 0);
}

}  // namespace
}  // namespace hyalite

#include "runtime/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plan/planner.h"
#include "plan/testing_plan.h"

namespace hyalite {
namespace {

// logits = rms_norm(table[ids]) table^T, small enough to compute by hand.
constexpr const char* kText =
    "graph @decode(%ids: tensor<T x i32>, %batch: batch) -> (tensor<L x 40 x f32>) {\n"
    "  %table = weight {name = \"table\", layout = \"rows16\"} : tensor<40 x 24 x f32>\n"
    "  %norm = weight {name = \"norm\"} : tensor<24 x f32>\n"
    "  %x = embed %ids, %table : tensor<T x 24 x f32>\n"
    "  %last = select_rows %x, %batch : tensor<L x 24 x f32>\n"
    "  %h = rms_norm %last, %norm {eps = 1e-05} : tensor<L x 24 x f32>\n"
    "  %logits = matmul %h, %table : tensor<L x 40 x f32>\n"
    "  return %logits\n}\n";

class ExecutorTest : public ::testing::Test {
 protected:
  ExecutorTest() {
    std::mt19937 random(9);
    std::normal_distribution<float> normal;
    for (float& x : table_) x = normal(random);
    for (float& x : norm_) x = normal(random);
    add("table", {DType::f32, {Dim(40), Dim(24)}}, table_);
    add("norm", {DType::f32, {Dim(24)}}, norm_);
  }

  void add(const std::string& name, TensorType type, const std::vector<float>& values) {
    auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    store_->add_owned(name, std::move(type), {"test", name}, {bytes, bytes + values.size() * sizeof(float)});
  }

  std::vector<float> run(Numerics numerics, int threads, std::vector<int32_t> ids, std::vector<int32_t> rows) {
    Machine machine;
    machine.features = kAvx2 & detect_machine().features;
    ExecutionPlan plan = testing::make_plan(testing::graph_of(kText), {},
                                            {.numerics = numerics, .machine = machine, .isa = IsaLevel::avx2, .max_symbols = {8, 1, 8}});
    ThreadPool pool(threads);
    const ExecutionPlan* plans[] = {&plan};
    auto weights = WeightSet::pack(plans, store_, pool);
    PageMemory arena(plan.arena_bytes), workspace(plan.workspace_bytes);
    Executor executor(plan, *weights, pool, arena.data(), workspace.data());
    std::vector<int32_t> positions(ids.size()), sequence(ids.size(), 0);
    BatchView batch{.tokens = int32_t(ids.size()), .sequences = 1, .logits_rows = int32_t(rows.size())};
    batch.positions = positions.data();
    batch.sequence_of = sequence.data();
    batch.logits_row = rows.data();
    size_t steps = 0;
    auto count = [&](size_t, int64_t nanoseconds) { steps += nanoseconds >= 0; };
    StepObserver observer(count);
    TensorView logits = executor.run({ids, batch, {}}, &observer);
    EXPECT_EQ(steps, plan.steps.size());
    return {logits.as<float>(), logits.as<float>() + logits.elements()};
  }

  std::vector<float> by_hand(int32_t id) const {
    const float* x = table_.data() + id * 24;
    double squares = 0;
    for (int i = 0; i < 24; ++i) squares += x[i] * x[i];
    double scale = 1 / std::sqrt(squares / 24 + 1e-5);
    std::vector<float> out(40);
    for (int r = 0; r < 40; ++r) {
      double sum = 0;
      for (int i = 0; i < 24; ++i) sum += x[i] * scale * norm_[i] * table_[r * 24 + i];
      out[r] = static_cast<float>(sum);
    }
    return out;
  }

  std::vector<float> table_ = std::vector<float>(40 * 24), norm_ = std::vector<float>(24);
  std::shared_ptr<WeightStore> store_ = std::make_shared<WeightStore>();
};

TEST_F(ExecutorTest, ComputesWhatThePlanSays) {
  for (Numerics numerics : {Numerics::reference, Numerics::deterministic}) {
    std::vector<float> logits = run(numerics, 2, {3, 17, 39}, {0, 2});
    ASSERT_EQ(logits.size(), 80u);
    std::vector<float> first = by_hand(3), last = by_hand(39);
    for (int i = 0; i < 40; ++i) {
      EXPECT_NEAR(logits[i], first[i], 1e-4) << name_of(numerics);
      EXPECT_NEAR(logits[40 + i], last[i], 1e-4) << name_of(numerics);
    }
  }
}

TEST_F(ExecutorTest, BitsDoNotDependOnThreadsOrCompany) {
  std::vector<float> alone = run(Numerics::deterministic, 1, {17}, {0});
  std::vector<float> together = run(Numerics::deterministic, 3, {3, 17, 39, 5, 6, 7}, {1});
  EXPECT_EQ(alone, together);
}

}  // namespace
}  // namespace hyalite

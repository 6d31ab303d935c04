#include "workbench/tune/tuner.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "base/error.h"
#include "compile/load.h"
#include "importers/testing/files.h"
#include "runtime/step_runner.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

constexpr int kThreads = 2;

class TunerTest : public ::testing::Test {
 protected:
  TunerTest() { write_tiny_model(path_, tiny_config("gemma3"), 3); }

  std::shared_ptr<ModelPlan> load(std::shared_ptr<const TuneRecord> tuned, Numerics numerics = Numerics::deterministic) {
    CompileOptions options;
    options.machine = machine_;
    options.isa = level_;
    options.numerics = numerics;
    options.threads = kThreads;
    options.max_positions = 64;
    options.max_decode_sequences = 3;
    options.max_symbols = {16, 3, 3};
    options.tuned = std::move(tuned);
    return load_model(path_, options, pool_);
  }

  std::map<std::string, TuneChoice, std::less<>> tune_all(const ModelPlan& model) {
    const ManualClock clock;
    Progress progress("runs", 1, std::cerr, clock);
    return tune(model, {.samples = 2, .machine = machine_}, pool_, progress);
  }

  // Of a prompt of three tokens, then of one that is decoded.
  std::vector<float> logits(const ModelPlan& model) {
    StepRunner runner(model, {.max_tokens = 64}, pool_);
    SequencePages pages;
    const std::vector<int32_t> ids = {1, 7, 3, 9};
    std::vector<float> values;
    for (auto [first, count] : {std::pair{0, 3}, std::pair{3, 1}}) {
      const StepSequence sequence{&pages, first, std::span(ids).subspan(first, count), StepSequence::Logits::all};
      const TensorView view = runner.run({&sequence, 1});
      values.insert(values.end(), view.as<float>(), view.as<float>() + view.elements());
    }
    runner.kv().release(pages);
    return values;
  }

  hyalite::testing::TemporaryDirectory place_;
  std::filesystem::path path_ = place_.path() / "model";
  // Whatever this machine has below AVX-512; scalar code stands alone, and then there is nothing to compare.
  Machine machine_ = detect_machine();
  IsaLevel level_ = machine_.features & kAvx512 ? IsaLevel::avx512 : machine_.features & kAvx2 ? IsaLevel::avx2 : IsaLevel::scalar;
  ThreadPool pool_{kThreads};
};

TEST_F(TunerTest, MeasuresWhatThePlansCanUse) {
  if (level_ == IsaLevel::scalar) GTEST_SKIP() << "a machine without vectors has no rivals";
  const auto model = load(nullptr);
  const auto choices = tune_all(*model);
  ASSERT_FALSE(choices.empty());
  bool prefill = false, alone = false;
  for (const auto& [key, choice] : choices) {
    EXPECT_GE(choice.timed.size(), 2u) << key;
    for (const VariantTiming& timing : choice.timed) EXPECT_NE(find_variant(timing.variant), nullptr) << timing.variant;
    prefill = prefill || key.find("[9-64 x") != std::string::npos;
    alone = alone || key.find("[1 x") != std::string::npos;
  }
  EXPECT_TRUE(prefill);
  EXPECT_TRUE(alone);
}

// Whatever is chosen, the planner finds it, and no bit of the logits changes.
TEST_F(TunerTest, ChoicesAreTakenAndChangeNoBit) {
  if (level_ == IsaLevel::scalar) GTEST_SKIP() << "a machine without vectors has no rivals";
  const auto model = load(nullptr);
  auto record = std::make_shared<TuneRecord>();
  record->choices = tune_all(*model);
  for (auto& [key, choice] : record->choices) choice.variant = choice.timed.back().variant;
  const auto tuned = load(record);
  int followed = 0;
  for (const ExecutionPlan* plan : {&tuned->prefill, &tuned->decode})
    for (const PlanStep& step : plan->steps) followed += step.tuned_us > 0;
  EXPECT_GT(followed, 0);
  const std::vector<float> before = logits(*model), after = logits(*tuned);
  ASSERT_EQ(before.size(), after.size());
  EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size() * sizeof(float)), 0);
}

// A provider whose results depend on the company of a row has its turn where that is allowed, and where rows are enough.
TEST_F(TunerTest, OnlyFastNumericsTryOneDnn) {
  const KernelVariant& provider = *find_variant("matmul.f32.onednn");
  if (const std::string missing = lacks(provider, machine_.features); !missing.empty()) GTEST_SKIP() << missing;
  for (const Numerics numerics : {Numerics::deterministic, Numerics::fast}) {
    int tried = 0;
    for (const auto& [key, choice] : tune_all(*load(nullptr, numerics))) tried += choice.find(provider.name) != nullptr;
    EXPECT_EQ(tried > 0, numerics == Numerics::fast) << tried;
  }
}

TEST_F(TunerTest, ReferenceNumericsHaveNothingToChoose) {
  EXPECT_THROW(tune_all(*load(nullptr, Numerics::reference)), Error);
}

TEST(TunedBatches, OneOfEachRange) {
  EXPECT_EQ(tuned_batches(1), (std::vector<int64_t>{1}));
  EXPECT_EQ(tuned_batches(8), (std::vector<int64_t>{1, 8}));
  EXPECT_EQ(tuned_batches(16), (std::vector<int64_t>{1, 8, 16}));
  EXPECT_EQ(tuned_batches(100), (std::vector<int64_t>{1, 8, 64, 100}));
}

}  // namespace
}  // namespace hyalite

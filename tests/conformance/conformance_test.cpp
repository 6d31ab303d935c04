// Every variant against the reference evaluation of its op, and against itself under other cuts of the work. A variant whose instructions
// this CPU lacks is skipped by name; one whose op has no cases, or that refuses all of them, fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "case.h"
#include "device/machine.h"
#include "execution.h"
#include "kernels/kernel_variant.h"

namespace hyalite::conformance {
namespace {

const Machine& this_machine() {
  static const Machine machine = detect_machine();
  return machine;
}

bool runs_here(const KernelVariant& variant) {
  return lacks(variant, this_machine().features).empty();
}

std::string refusal(const KernelVariant& variant, const Case& problem) {
  std::vector<ValueType> types;
  return variant.refuses(problem.problem(types));
}

std::vector<const Case*> accepted_cases(const KernelVariant& variant) {
  std::vector<const Case*> cases;
  for (const Case& problem : cases_of(variant.op)) {
    if (refusal(variant, problem).empty()) cases.push_back(&problem);
  }
  return cases;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void expect_same_bits(const Outcome& expected, const Outcome& got, const std::string& what) {
  EXPECT_EQ(got.damage, "") << what;
  ASSERT_EQ(got.results.size(), expected.results.size()) << what;
  for (size_t i = 0; i < expected.results.size(); ++i) {
    EXPECT_TRUE(same_bits(expected.results[i], got.results[i])) << what << ", result " << i;
  }
  EXPECT_TRUE(expected.cache == got.cache) << what << ", cache";
}

// Largest difference relative to the root mean square of the expected values.
double error_of(const std::vector<float>& expected, const std::vector<float>& got) {
  double squares = 0, largest = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    squares += double{expected[i]} * expected[i];
    const double difference = std::abs(double{expected[i]} - got[i]);
    largest = std::isfinite(difference) ? std::max(largest, difference) : INFINITY;
  }
  const double size = expected.empty() ? 0 : std::sqrt(squares / static_cast<double>(expected.size()));
  return size > 0 ? largest / size : largest;
}

// Does the op write results of arithmetic to the cache? Others copy, or read only.
bool computes_into_cache(const KernelVariant& variant) {
  return variant.error_bound > 0 && std::ranges::count(find_op(variant.op)->results, ValueType::Kind::cache, &OperandSpec::kind) > 0;
}

// Both wrote the same places, where a value that is rounded the other way is a step of the cache's format away.
void expect_near_caches(const Case& problem, const Outcome& expected, const Outcome& got, double bound) {
  const std::vector<float> all = problem.cache_values(expected.cache), all_got = problem.cache_values(got.cache);
  std::vector<float> written, written_got;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::isnan(all[i]), std::isnan(all_got[i])) << problem.label << ": place " << i << " of the cache";
    if (std::isnan(all[i])) continue;
    written.push_back(all[i]), written_got.push_back(all_got[i]);
  }
  const DType dtype = problem.cache->dtype;
  const double step = dtype == DType::f32 ? 0 : dtype == DType::f16 ? 0.005 : 0.05;  // of a value some times the root mean square
  EXPECT_FALSE(written.empty()) << problem.label;
  EXPECT_LE(error_of(written, written_got), bound + step) << problem.label << ": the cache";
}

class Conformance : public testing::TestWithParam<const KernelVariant*> {
 protected:
  void SetUp() override {
    cases_ = accepted_cases(variant());
    ASSERT_FALSE(cases_.empty()) << "no case of " << variant().op << " in makers.cpp that " << variant().name << " accepts";
    if (!runs_here(variant())) {
      GTEST_SKIP() << variant().name << " " << lacks(variant(), this_machine().features) << "; this CPU has "
                   << describe_features(this_machine().features);
    }
  }
  static const KernelVariant& variant() { return *GetParam(); }

  std::vector<const Case*> cases_;
};

TEST_P(Conformance, AgreesWithTheReference) {
  double worst = 0;
  for (const Case* each : cases_) {
    const Case& problem = *each;
    const Outcome expected = run(*reference_variant(problem.op), problem, 1), got = run(variant(), problem, 1);
    EXPECT_EQ(got.damage, "") << problem.label;
    if (computes_into_cache(variant()))
      expect_near_caches(problem, expected, got, variant().error_bound);
    else
      EXPECT_TRUE(expected.cache == got.cache) << problem.label << ": the cache";
    for (size_t i = 0; i < expected.results.size(); ++i) {
      const double error = error_of(expected.results[i], got.results[i]);
      EXPECT_LE(error, variant().error_bound) << problem.label << ": result " << i;
      worst = std::max(worst, error);
    }
  }
  RecordProperty("worst_error", testing::PrintToString(worst));
}

TEST_P(Conformance, SameBitsForAnyNumberOfThreads) {
  for (const Case* each : cases_) {
    const Case& problem = *each;
    const Outcome alone = run(variant(), problem, 1);
    for (const int threads : {2, 3, 8}) {
      expect_same_bits(alone, run(variant(), problem, threads), problem.label + " on " + std::to_string(threads) + " threads");
    }
  }
}

TEST_P(Conformance, SameBitsForAnySplitOfTheTokens) {
  if (variant().depends_on_rows) GTEST_SKIP() << variant().name << " may give a row other bits in other company";
  for (const Case* each : cases_) {
    const Case& problem = *each;
    if (!splits_by_tokens(problem)) continue;
    const int64_t tokens = problem.symbols.tokens;
    const Outcome whole = run(variant(), problem, 2);
    std::vector<int64_t> one_by_one, sevens;
    for (int64_t t = 1; t <= tokens; ++t) one_by_one.push_back(t);
    for (int64_t t = 7; t < tokens; t += 7) sevens.push_back(t);
    sevens.push_back(tokens);
    expect_same_bits(whole, run_in_steps(variant(), problem, one_by_one, 2), problem.label + " token by token");
    expect_same_bits(whole, run_in_steps(variant(), problem, {(tokens + 1) / 2, tokens}, 1), problem.label + " in halves");
    expect_same_bits(whole, run_in_steps(variant(), problem, sevens, 3), problem.label + " in sevens");
  }
}

// "rms_norm.avx2" is one of the family "rms_norm", "matmul.q4_1.scalar" of "matmul.q4_1".
std::string_view family_of(const KernelVariant& variant) {
  return variant.name.substr(0, variant.name.rfind('.'));
}

// The variant that all others of its family are compared with: the one that runs on every machine.
const KernelVariant* plainest_of(const KernelVariant& variant) {
  const auto found = std::ranges::find_if(
      cpu_variants(), [&](const KernelVariant* other) { return other->needs == 0 && family_of(*other) == family_of(variant); });
  return found == cpu_variants().end() ? nullptr : *found;
}

TEST_P(Conformance, SameBitsOnEveryInstructionSet) {
  if (variant().depends_on_rows) GTEST_SKIP() << variant().name << " may give a row other bits in other company";
  if (variant().rounds_alone) GTEST_SKIP() << variant().name << " rounds what other instruction sets leave in f32";
  const KernelVariant* plainest = plainest_of(variant());
  ASSERT_NE(plainest, nullptr);
  if (plainest == &variant()) GTEST_SKIP() << variant().name << " is what others are compared with";
  int compared = 0;
  for (const Case* each : cases_) {
    const Case& problem = *each;
    if (!refusal(*plainest, problem).empty()) continue;
    ++compared;
    expect_same_bits(run(*plainest, problem, 1), run(variant(), problem, 1), problem.label + " against " + std::string(plainest->name));
  }
  EXPECT_GT(compared, 0);
}

TEST_P(Conformance, PredictsATime) {
  for (const Case* each : cases_) {
    const Case& problem = *each;
    std::vector<ValueType> types;
    const double seconds = variant().seconds(problem.problem(types), this_machine());
    EXPECT_TRUE(std::isfinite(seconds) && seconds >= 0 && seconds < 1) << problem.label << ": " << seconds;
  }
}

std::string test_name(const testing::TestParamInfo<const KernelVariant*>& info) {
  std::string name(info.param->name);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Variants, Conformance, testing::ValuesIn(cpu_variants().begin(), cpu_variants().end()), test_name);

// A token computed in a prefill plan and the same token in a decode plan.
TEST(PagedAttention, PrefillAndDecodeGiveTheSameBits) {
  for (const char* isa : {"avx512", "avx2", "scalar"}) {
    const KernelVariant& prefill = *find_variant(std::string("paged_attention_prefill.") + isa);
    const KernelVariant& decode = *find_variant(std::string("paged_attention_decode.") + isa);
    if (!runs_here(prefill)) continue;
    for (const char* op : {"paged_attention_prefill", "paged_attention_decode"}) {
      for (const Case& problem : cases_of(op)) {
        expect_same_bits(run(prefill, problem, 2), run(decode, problem, 3), problem.label + " on " + isa);
      }
    }
  }
}

// cache_append for a case of the op that appends by itself, of the k and v that the one that does not has made of it.
Case append_case(const Case& fused, const Outcome& made) {
  Case append = fused;
  append.op = "cache_append";
  const int64_t columns = fused.attrs.integer("kv_heads") * fused.attrs.integer("head_dim");
  const ValueType rows = ValueType::of({DType::f32, {Dim::tokens(), Dim(columns)}});
  append.operands = {ValueType::cache(), rows, rows, ValueType::batch()};
  append.inputs.assign(append.operands.size(), {});
  for (size_t i = 1; i < 3; ++i) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(made.results[i].data());
    append.inputs[i].assign(bytes, bytes + made.results[i].size() * sizeof(float));
  }
  return append;
}

TEST(CacheAppendFusion, GivesTheBitsOfTwoSteps) {
  for (const KernelVariant* fused : cpu_variants()) {
    if (fused->op != "fused_rmsnorm_qkv_rope_append" || !runs_here(*fused)) continue;
    const std::string isa(fused->name.substr(fused->name.rfind('.')));
    for (const Case* each : accepted_cases(*fused)) {
      Case qkv = *each;
      qkv.op = "fused_rmsnorm_qkv_rope";
      qkv.operands.pop_back(), qkv.inputs.pop_back();  // the cache
      const Outcome made = run(*find_variant(qkv.op + isa), qkv, 1), got = run(*fused, *each, 3);
      EXPECT_TRUE(same_bits(made.results[0], got.results[0])) << each->label << isa;
      EXPECT_TRUE(run(*find_variant("cache_append.scalar"), append_case(*each, made), 1).cache == got.cache) << each->label << isa;
    }
  }
}

class ForcedIsa : public testing::TestWithParam<IsaLevel> {};

// What a plan under --isa does: the first variant whose instructions are allowed. It needs nothing above the level, and uses the level's
// own instructions wherever some variant does; an op without a variant for the level would fall back to the reference unseen.
TEST_P(ForcedIsa, RunsTheInstructionsOfItsLevel) {
  const uint32_t base = base_features_of(GetParam());
  const uint32_t own = base == base_features_of(IsaLevel::avx2) ? base : base & ~uint32_t{kAvx2};
  if (!has_level(this_machine(), GetParam())) GTEST_SKIP() << "this CPU has only " << describe_features(this_machine().features);
  const uint32_t features = restrict_isa(this_machine(), GetParam()).features;
  for (const KernelVariant* listed : cpu_variants()) {
    for (const Case* each : accepted_cases(*listed)) {
      const KernelVariant* chosen = nullptr;
      bool some_use_own = false;
      for (const KernelVariant* v : cpu_variants()) {
        if (v->op != listed->op || (v->needs & ~features) != 0 || !refusal(*v, *each).empty()) continue;
        if (chosen == nullptr) chosen = v;
        some_use_own = some_use_own || (v->needs & own) != 0;
      }
      ASSERT_NE(chosen, nullptr) << listed->op << " has no variant for " << each->label;
      EXPECT_EQ(chosen->needs & ~features_of(GetParam()), 0u) << chosen->name;
      EXPECT_EQ((chosen->needs & own) != 0, some_use_own) << chosen->name << " for " << each->label;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ForcedIsa, testing::Values(IsaLevel::scalar, IsaLevel::avx2, IsaLevel::avx512, IsaLevel::amx),
                         [](const auto& level) { return std::string(name_of(level.param)); });

}  // namespace
}  // namespace hyalite::conformance

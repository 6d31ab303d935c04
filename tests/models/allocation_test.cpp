// A decode step and the sampling after it take nothing from the heap: operator new of this binary counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "compile/load.h"
#include "engine/ngram_drafter.h"
#include "importers/testing/files.h"
#include "runtime/step_runner.h"
#include "workbench/tiny_model.h"

namespace {

std::atomic<int64_t> allocations{0};

void* counted(size_t bytes, size_t alignment) {
  ++allocations;
  if (void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<size_t>(alignment));
}
// std::stable_sort asks this way; a sanitizer's own would not fit the delete below.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace hyalite {
namespace {

constexpr int64_t kTokens = 400, kDrafts = 3;

class StepAllocation : public ::testing::TestWithParam<std::string_view> {
 protected:
  StepAllocation() {
    write_tiny_model(place_.path() / "model", tiny_config(GetParam()), 3);
    const IsaLevel isa = detect_machine().features & kAvx512 ? IsaLevel::avx512 : IsaLevel::scalar;
    CompileOptions options{.machine = restrict_isa(detect_machine(), isa), .isa = isa, .max_positions = kTokens};
    options.max_draft_tokens = kDrafts;
    model_ = load_model(place_.path() / "model", options, pool_);
  }

  hyalite::testing::TemporaryDirectory place_;
  ThreadPool pool_{2};
  std::shared_ptr<const ModelPlan> model_;
};

TEST_P(StepAllocation, IsNone) {
  const SamplingOptions kinds[] = {{}, {.temperature = 1}, {.temperature = 0.8, .top_k = 50, .top_p = 0.9, .min_p = 0.01}};
  for (const SamplingOptions& kind : kinds) {
    std::vector<int32_t> sequence = {1, 2, 3, 4, 1, 2}, step;
    sequence.reserve(kTokens);
    step.reserve(1 + kDrafts);
    StepRunner steps(*model_, {kTokens, 1, model_->prefill.max_symbols.tokens}, pool_);
    Sampler sampler(kind, model_->info.vocab, sequence);
    NgramDrafter drafter(kTokens);
    drafter.begin(sequence);
    SequencePages pages;
    int64_t cached = 0, before = 0;
    while (std::ssize(sequence) + kDrafts < kTokens) {
      if (cached > 0) before = before ? before : allocations.load();  // the first step sets up the sequence's page tables
      step.assign(sequence.begin() + cached, sequence.end());
      if (cached > 0) drafter.draft({sequence, sampler, {}, kDrafts}, step);
      const StepSequence part{&pages, cached, step};
      const TensorView logits = steps.run({&part, 1});
      cached = std::ssize(sequence);
      sequence.push_back(sampler.next({logits.as<float>(), static_cast<size_t>(logits.columns())}));
    }
    EXPECT_EQ(allocations.load() - before, 0) << "temperature " << kind.temperature;
    steps.kv().release(pages);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, StepAllocation, ::testing::ValuesIn(tiny_families().begin(), tiny_families().end()));

}  // namespace
}  // namespace hyalite

#include "workbench/tune/tuner.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "plan/variant_selection.h"
#include "runtime/executor.h"
#include "runtime/flat_batch.h"
#include "runtime/kv_pool.h"
#include "workbench/step_profile.h"

namespace hyalite {
namespace {

constexpr int64_t kMostRivals = 3;  // of a problem, that take their turns for long

// Prompt tokens of the prefill step, which decode steps then find in the cache.
int64_t prompt_tokens(const ModelPlan& model) {
  return std::min(model.prefill.max_symbols.tokens, std::max<int64_t>(1, model.prefill.max_positions - 1));
}

// A step of the model in which each of `sequences` sequences brings `each` tokens behind `cached` positions and decodes greedily.
FlatBatch step_of(const ModelPlan& model, KvPool& kv, std::vector<SequencePages>& pages, int64_t sequences, int64_t each, int64_t cached) {
  std::vector<int32_t> ids(sequences * each);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(static_cast<int64_t>(i) * 7919 % model.info.vocab);
  std::vector<StepSequence> list;
  for (int64_t s = 0; s < sequences; ++s)
    list.push_back({.pages = &pages[s], .cached = cached, .ids = std::span(ids).subspan(s * each, each), .top_only = true});
  FlatBatch batch({sequences * each, sequences, sequences}, kv.groups());
  batch.fill(list, kv, model.info.vocab);
  return batch;
}

// Rivals of a plan's steps, and the workspace that the most demanding of them wants.
class Rivals {
 public:
  Rivals(const ExecutionPlan& plan, const Symbols& symbols, int64_t cached, const PlanOptions& options, TuneRounds& rounds) {
    for (const PlanStep& step : plan.steps) {
      const StepProblem now(plan, step, symbols, cached), largest(plan, step, plan.max_symbols, cached);
      const std::vector<const KernelVariant*> rivals = without_scalar(usable_variants(step, now.problem(), options));
      for (const KernelVariant* variant : rivals)
        if (variant->workspace) workspace_ = std::max(workspace_, static_cast<int64_t>(variant->workspace(largest.problem())));
      problem_.push_back(rivals.size() < 2 ? std::nullopt
                                           : std::optional(rounds.add_problem(problem_key_of(step, now.problem(), options), rivals)));
    }
  }
  std::optional<size_t> problem_of(size_t step) const { return problem_[step]; }
  int64_t workspace_bytes() const { return workspace_; }

 private:
  // Code without vectors is tried only where there is a single other.
  static std::vector<const KernelVariant*> without_scalar(std::vector<const KernelVariant*> rivals) {
    if (std::ranges::count_if(rivals, [](const KernelVariant* v) { return v->needs != 0; }) > 1)
      std::erase_if(rivals, [](const KernelVariant* v) { return v->needs == 0; });
    return rivals;
  }

  std::vector<std::optional<size_t>> problem_;  // by step
  int64_t workspace_ = 0;
};

class Tuner {
 public:
  Tuner(const ModelPlan& model, const TuneOptions& options, ThreadPool& pool, Progress& progress)
      : model_(model),
        options_(options),
        pool_(pool),
        progress_(progress),
        kv_(model.prefill.caches,
            {.max_tokens = prompt_tokens(model) + 1,
             .max_sequences = model.decode.max_symbols.sequences,
             .max_step_tokens = model.prefill.max_symbols.tokens},
            pool),
        pages_(model.decode.max_symbols.sequences),
        arena_(static_cast<size_t>(std::max(model.prefill.arena_bytes, model.decode.arena_bytes)), pool),
        rounds_(options.samples) {}

  std::map<std::string, TuneChoice, std::less<>> run() {
    const int64_t prompt = prompt_tokens(model_);
    measure(model_.prefill, step_of(model_, kv_, pages_, 1, prompt, 0), 0);
    for (int64_t batch : tuned_batches(model_.decode.max_symbols.sequences))
      measure(model_.decode, step_of(model_, kv_, pages_, batch, 1, prompt), prompt);
    return rounds_.choices();
  }

 private:
  // A first run that does not count, then as many as it takes.
  void measure(const ExecutionPlan& plan, const FlatBatch& step, int64_t cached) {
    const PlanOptions scope{.numerics = plan.numerics, .machine = options_.machine, .isa = plan.isa, .threads = pool_.size()};
    const Rivals rivals(plan, step.symbols(), cached, scope, rounds_);
    const PageMemory workspace(static_cast<size_t>(std::max(plan.workspace_bytes, rivals.workspace_bytes())), pool_);
    rounds_.begin_kind();
    run_once(plan, step, rivals, workspace, false);
    do run_once(plan, step, rivals, workspace, true);
    while (!rounds_.enough());
  }

  void run_once(const ExecutionPlan& plan, const FlatBatch& step, const Rivals& rivals, const PageMemory& workspace, bool counts) {
    ExecutionPlan trial = plan;
    std::vector<size_t> tried(plan.steps.size());
    rounds_.begin_run();
    for (size_t i = 0; i < trial.steps.size(); ++i)
      if (const auto problem = rivals.problem_of(i)) {
        tried[i] = rounds_.next_rival(*problem);
        trial.steps[i].variant = &rounds_.rival(*problem, tried[i]);
      }
    Executor executor(trial, *model_.weights, pool_, arena_.data(), workspace.data());
    double total_us = 0;
    auto note = [&](size_t i, int64_t nanoseconds) {
      const double us = static_cast<double>(std::max<int64_t>(nanoseconds, 1)) / 1e3;  // a step takes some time on any clock
      total_us += us;
      if (const auto problem = rivals.problem_of(i); problem && counts) rounds_.add(*problem, tried[i], us);
    };
    const StepObserver observer(note);
    executor.run(step.input(kv_), &observer);
    if (counts) rounds_.end_run(total_us);
    progress_.advance(1);
  }

  const ModelPlan& model_;
  const TuneOptions& options_;
  ThreadPool& pool_;
  Progress& progress_;
  KvPool kv_;
  std::vector<SequencePages> pages_;
  PageMemory arena_;
  TuneRounds rounds_;
};

}  // namespace

std::vector<int64_t> tuned_batches(int64_t most) {
  std::vector<int64_t> batches;
  for (int64_t largest : {1, 8, 64})
    if (largest < most) batches.push_back(largest);
  batches.push_back(most);
  return batches;
}

int64_t most_tune_runs(const ModelPlan& model, int64_t samples) {
  const auto kinds = 1 + std::ssize(tuned_batches(model.decode.max_symbols.sequences));
  return kinds * (1 + samples * kMostRivals);
}

std::map<std::string, TuneChoice, std::less<>> tune(const ModelPlan& model, const TuneOptions& options, ThreadPool& pool,
                                                    Progress& progress) {
  if (model.prefill.numerics == Numerics::reference)
    throw Error(ErrorCode::invalid_argument, "--numerics reference", "runs the reference evaluation only; there is nothing to choose");
  const ThreadPool::CancelScope scope(pool, options.cancel);
  return Tuner(model, options, pool, progress).run();
}

}  // namespace hyalite

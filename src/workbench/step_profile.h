// Where the time of a step of the model goes, plan step by plan step, each against its roofline: the time that its bytes take at the
// machine's read bandwidth or its operations at the machine's rate for their kind, whichever is longer. Works on observed runs, which are
// apart from the timed ones: reading the clock after each plan step would slow those.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device/machine.h"
#include "plan/execution_plan.h"

namespace hyalite {

// One run of a plan: its size, the positions of each sequence that were in the cache before, and the time of each plan step.
struct ObservedRun {
  Symbols symbols;
  int64_t cached = 0;
  std::vector<int64_t> nanoseconds;
};

// What a plan step looks like to kernels and costs when a run has this size. The step and the plan outlive it.
class StepProblem {
 public:
  StepProblem(const ExecutionPlan& plan, const PlanStep& step, const Symbols& symbols, int64_t cached);
  StepProblem(const StepProblem&) = delete;
  StepProblem& operator=(const StepProblem&) = delete;

  const Problem& problem() const { return problem_; }

 private:
  std::vector<ValueType> operands_, results_;
  Problem problem_;
};

// Plan steps that run the same variant on the same shapes at the same cost.
struct StepGroup {
  std::string variant;
  std::string shape;       // its matrices, "960 x 576 q4_1"; without any, its result or what it takes
  int64_t steps = 0;       // in the plan
  Cost cost;               // of one, in the first observed run
  std::string arithmetic;  // "int8", "bf16" or "f32": the rate that its operations are held against
  double measured_us = 0;  // of one: the median over the group and all runs
  double predicted_us = 0;
  double floor_us = 0;  // the roofline's
  bool memory_bound = false;

  double total_us() const { return measured_us * static_cast<double>(steps); }
  // Above 1 where what it reads lies in a cache.
  double roofline_share() const { return measured_us > 0 ? floor_us / measured_us : 0; }
};

// In the order of the plan. REQUIRES: `runs` is not empty, each with a time for every step of the plan.
std::vector<StepGroup> profile_steps(const ExecutionPlan& plan, std::span<const ObservedRun> runs, const Machine& machine);

// Nanoseconds that the threads take to meet when they have nothing else to do: the median of some thousand times.
double measure_barrier_ns(ThreadPool& threads);

}  // namespace hyalite

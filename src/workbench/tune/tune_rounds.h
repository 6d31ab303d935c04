// Which variant each step of the next run tries, and what the times come to. Runs nothing and knows no clock.
//
// The steps of a run that have one problem take its rivals in turn, and each step another one in the next run: what is compared was
// measured within the same milliseconds, on a machine in the same state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/kernel_variant.h"
#include "plan/tune_record.h"

namespace hyalite {

// A rival whose best sample is so many times the median of the best one is not tried again, once each has some samples to tell by.
inline constexpr double kHopeless = 4;
inline constexpr size_t kTelling = 3;
// Problems that take a smaller share of a run do not make it worth more runs.
inline constexpr double kWorthwhile = 0.01;

class TuneRounds {
 public:
  // `samples`: of every variant of a problem, at least.
  explicit TuneRounds(int64_t samples) : samples_(samples) {}

  // The number of a problem, the same for the same key. `rivals`: two or more, best first.
  size_t add_problem(const std::string& key, const std::vector<const KernelVariant*>& rivals);

  // Begins a run. Then, for each of its steps that has a problem, which of the problem's rivals it tries.
  void begin_run();
  size_t next_rival(size_t problem);
  const KernelVariant& rival(size_t problem, size_t rival) const { return *problems_[problem].rivals[rival].variant; }

  // What a step of this run took; then the whole run.
  void add(size_t problem, size_t rival, double us);
  void end_run(double us);

  // All problems of the runs so far that are worth it have their samples.
  bool enough() const;
  // Forgets which problems were worth more runs: the next runs are of another kind.
  void begin_kind();

  // By key, of the problems that have their samples.
  std::map<std::string, TuneChoice, std::less<>> choices() const;

 private:
  struct Rival {
    const KernelVariant* variant;
    std::vector<double> samples_us;
    bool hopeless = false;
  };
  struct Problem {
    std::string key;
    std::vector<Rival> rivals;
    size_t turn = 0;
    double run_us = 0;        // in this run
    bool worthwhile = false;  // in this kind of run
  };

  bool sampled(const Problem& problem) const;

  int64_t samples_;
  size_t runs_ = 0;
  std::vector<Problem> problems_;
};

}  // namespace hyalite

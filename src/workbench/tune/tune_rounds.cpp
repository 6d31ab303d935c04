#include "workbench/tune/tune_rounds.h"

#include <algorithm>
#include <ranges>

#include "base/error.h"

namespace hyalite {

size_t TuneRounds::add_problem(const std::string& key, const std::vector<const KernelVariant*>& rivals) {
  HYALITE_CHECK(rivals.size() > 1, "a problem without rivals");
  const auto known = std::ranges::find(problems_, key, &Problem::key);
  if (known != problems_.end()) return static_cast<size_t>(known - problems_.begin());
  Problem& problem = problems_.emplace_back(Problem{.key = key});
  for (const KernelVariant* variant : rivals) problem.rivals.push_back({variant, {}});
  return problems_.size() - 1;
}

void TuneRounds::begin_kind() {
  for (Problem& problem : problems_) problem.worthwhile = false;
}

void TuneRounds::begin_run() {
  ++runs_;
  for (Problem& problem : problems_) {
    problem.turn = runs_;
    problem.run_us = 0;
  }
}

size_t TuneRounds::next_rival(size_t at) {
  Problem& problem = problems_[at];
  std::vector<size_t> trying;
  for (size_t i = 0; i < problem.rivals.size(); ++i)
    if (!problem.rivals[i].hopeless) trying.push_back(i);
  return trying[problem.turn++ % trying.size()];
}

void TuneRounds::add(size_t at, size_t rival, double us) {
  problems_[at].rivals[rival].samples_us.push_back(us);
  problems_[at].run_us += us;
}

void TuneRounds::end_run(double us) {
  for (Problem& problem : problems_) {
    problem.worthwhile = problem.worthwhile || problem.run_us > us * kWorthwhile;
    if (std::ranges::any_of(problem.rivals, [](const Rival& rival) { return rival.samples_us.size() < kTelling; })) continue;
    const auto median_us = [](const Rival& rival) { return timing_of("", rival.samples_us).median_us; };
    const double best = std::ranges::min(problem.rivals | std::views::transform(median_us));
    for (Rival& rival : problem.rivals) rival.hopeless = rival.hopeless || std::ranges::min(rival.samples_us) > kHopeless * best;
  }
}

bool TuneRounds::sampled(const Problem& problem) const {
  return std::ranges::all_of(problem.rivals,
                             [&](const Rival& rival) { return rival.hopeless || std::ssize(rival.samples_us) >= samples_; });
}

bool TuneRounds::enough() const {
  return std::ranges::all_of(problems_, [&](const Problem& problem) { return !problem.worthwhile || sampled(problem); });
}

std::map<std::string, TuneChoice, std::less<>> TuneRounds::choices() const {
  std::map<std::string, TuneChoice, std::less<>> choices;
  for (const Problem& problem : problems_) {
    if (!sampled(problem)) continue;
    std::vector<VariantTiming> timed;
    for (const Rival& rival : problem.rivals) timed.push_back(timing_of(std::string(rival.variant->name), rival.samples_us));
    choices[problem.key] = choice_of(std::move(timed));
  }
  return choices;
}

}  // namespace hyalite

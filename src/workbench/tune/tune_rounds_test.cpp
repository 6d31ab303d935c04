#include "workbench/tune/tune_rounds.h"

#include <gtest/gtest.h>

#include <functional>

namespace hyalite {
namespace {

const std::vector<const KernelVariant*> kNorms = {find_variant("rms_norm.avx512"), find_variant("rms_norm.avx2"),
                                                  find_variant("rms_norm.scalar")};

// Runs of `steps` steps with one problem until there is enough; `time(run, step, rival)` says what a step takes.
int64_t run(TuneRounds& rounds, size_t problem, int steps, const std::function<double(int, int, size_t)>& time) {
  rounds.begin_kind();
  int runs = 0;
  do {
    rounds.begin_run();
    double total = 0;
    for (int step = 0; step < steps; ++step) {
      const size_t rival = rounds.next_rival(problem);
      const double us = time(runs, step, rival);
      rounds.add(problem, rival, us);
      total += us;
    }
    rounds.end_run(total);
    ++runs;
  } while (!rounds.enough());
  return runs;
}

TEST(TuneRounds, EveryStepTriesEveryRival) {
  TuneRounds rounds(6);
  const size_t problem = rounds.add_problem("p", kNorms);
  EXPECT_EQ(rounds.add_problem("p", kNorms), problem);
  std::vector<std::vector<int>> tried(6, std::vector<int>(3));
  const int64_t runs = run(rounds, problem, 6, [&](int, int step, size_t rival) {
    ++tried[step][rival];
    return 10.0;
  });
  EXPECT_EQ(runs, 3) << "two samples of each rival a run";
  for (const auto& counts : tried) EXPECT_EQ(counts, (std::vector<int>{1, 1, 1}));
}

TEST(TuneRounds, TheFasterOneIsChosenWithItsEvidence) {
  TuneRounds rounds(5);
  run(rounds, rounds.add_problem("p", kNorms), 1, [](int run, int, size_t rival) { return (rival == 1 ? 10 : 12) + 0.1 * (run % 2); });
  const TuneChoice choice = rounds.choices().at("p");
  EXPECT_EQ(choice.variant, "rms_norm.avx2");
  ASSERT_EQ(choice.timed.size(), 3u);
  for (const VariantTiming& timing : choice.timed) EXPECT_EQ(timing.samples, 5);
  EXPECT_NEAR(choice.gain(), 1.2, 0.02);
}

TEST(TuneRounds, AGainWithinTheSpreadChangesNothing) {
  TuneRounds rounds(8);
  run(rounds, rounds.add_problem("p", kNorms), 3, [](int run, int, size_t rival) { return (rival == 1 ? 9.9 : 10) + run % 4; });
  EXPECT_EQ(rounds.choices().at("p").variant, "rms_norm.avx512");
}

TEST(TuneRounds, TheHopelessAreGivenUp) {
  TuneRounds rounds(10);
  size_t slow = 0;
  run(rounds, rounds.add_problem("p", kNorms), 3, [&](int, int, size_t rival) {
    slow += rival == 2;
    return rival == 2 ? 1000.0 : 10.0;
  });
  EXPECT_EQ(slow, kTelling);
  EXPECT_EQ(rounds.choices().at("p").find("rms_norm.scalar")->samples, kTelling);
}

TEST(TuneRounds, OneLuckySampleGivesNobodyUp) {
  TuneRounds rounds(6);
  run(rounds, rounds.add_problem("p", kNorms), 3, [&](int run, int, size_t rival) { return run == 0 && rival == 0 ? 0.1 : 10.0; });
  const TuneChoice choice = rounds.choices().at("p");
  for (const VariantTiming& timing : choice.timed) EXPECT_EQ(timing.samples, 6) << timing.variant;
}

TEST(TuneRounds, WhatTakesNoTimeIsNotWaitedFor) {
  TuneRounds rounds(4);
  const size_t large = rounds.add_problem("large", kNorms), small = rounds.add_problem("small", kNorms);
  rounds.begin_kind();
  int runs = 0;
  do {
    rounds.begin_run();
    for (int step = 0; step < 6; ++step) rounds.add(large, rounds.next_rival(large), 100);
    rounds.add(small, rounds.next_rival(small), 0.1);
    rounds.end_run(600.1);
    ++runs;
  } while (!rounds.enough());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(rounds.choices().count("large"), 1u);
  EXPECT_EQ(rounds.choices().count("small"), 0u) << "too few samples to go by";
}

}  // namespace
}  // namespace hyalite

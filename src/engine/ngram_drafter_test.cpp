#include "engine/ngram_drafter.h"

#include <gtest/gtest.h>

#include <random>

namespace hyalite {
namespace {

using Ids = std::vector<int32_t>;

Ids guess(NgramDrafter& drafter, const Ids& sequence, int64_t most) {
  static const Sampler sampler({}, 1, {});
  Ids drafts;
  drafter.draft({sequence, sampler, {}, most}, drafts);
  return drafts;
}

Ids guess(const Ids& sequence, int64_t most) {
  NgramDrafter drafter(100);
  drafter.begin(sequence);
  return guess(drafter, sequence, most);
}

TEST(NgramDrafter, GuessesWhatFollowedBefore) {
  EXPECT_EQ(guess({1, 2, 3, 4, 5, 1, 2}, 3), (Ids{3, 4, 5}));
  EXPECT_EQ(guess({1, 2, 3, 4, 5, 1, 2}, 1), (Ids{3}));
  EXPECT_EQ(guess({1, 2, 3}, 3), Ids{});
  EXPECT_EQ(guess({1}, 3), Ids{});
  EXPECT_EQ(guess({1, 2, 3, 9, 2}, 3), Ids{}) << "a single token says too little";
}

TEST(NgramDrafter, TheMostRecentOccurrenceWins) {
  EXPECT_EQ(guess({1, 2, 3, 1, 2, 4, 1, 2}, 1), (Ids{4}));
}

TEST(NgramDrafter, ALongerEndWinsOverAMoreRecentOne) {
  EXPECT_EQ(guess({7, 8, 1, 2, 3, 9, 9, 1, 2, 4, 7, 8, 1, 2}, 1), (Ids{3}));
}

TEST(NgramDrafter, WhatRepeatsGoesOnRepeating) {
  EXPECT_EQ(guess({5, 5, 5}, 4), (Ids{5, 5, 5, 5}));
  EXPECT_EQ(guess({1, 2, 1, 2}, 5), (Ids{1, 2, 1, 2, 1}));
}

// The index grows with the sequence; a search from scratch must find the same.
TEST(NgramDrafter, EqualsASearchFromScratch) {
  std::mt19937 random(3);
  NgramDrafter drafter(3000);
  for (int round = 0; round < 3; ++round) {
    Ids sequence;
    for (int i = 0; i < 20; ++i) sequence.push_back(static_cast<int32_t>(random() % 4));
    drafter.begin(sequence);
    while (sequence.size() < 900) {
      Ids expected;
      for (size_t length : {16, 8, 4, 2}) {
        for (size_t end = sequence.size() - 1; end >= length && expected.empty(); --end)
          if (std::equal(sequence.end() - length, sequence.end(), sequence.begin() + end - length)) expected = {sequence[end]};
        if (!expected.empty()) break;
      }
      if (random() % 2) {
        EXPECT_EQ(guess(drafter, sequence, 1), expected) << sequence.size();
      }
      sequence.push_back(static_cast<int32_t>(random() % 4));
    }
  }
}

}  // namespace
}  // namespace hyalite

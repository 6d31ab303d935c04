#include "engine/draft_length.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hyalite {
namespace {

struct Cost {
  int64_t steps = 0, guesses = 0;
};

// Tokens of an answer of which each is guessable or not.
Cost decode(const std::vector<bool>& guessable, int64_t most) {
  DraftLength length(most);
  Cost cost;
  for (size_t at = 0; at < guessable.size();) {
    const int64_t drafted = std::min<int64_t>(length.next(), std::ssize(guessable) - static_cast<int64_t>(at) - 1);
    int64_t accepted = 0;
    while (accepted < drafted && guessable[at + accepted]) ++accepted;
    length.note(drafted, accepted);
    ++cost.steps;
    cost.guesses += drafted;
    at += accepted + 1;
  }
  return cost;
}

TEST(DraftLength, GuessesAsManyAsAllowedWhereAllAreRight) {
  EXPECT_EQ(decode(std::vector<bool>(800, true), 7).steps, 100);
}

TEST(DraftLength, HardlyGuessesWhereNoneIsRight) {
  const Cost cost = decode(std::vector<bool>(1000, false), 7);
  EXPECT_EQ(cost.steps, 1000);
  EXPECT_LT(cost.guesses, 50);
}

TEST(DraftLength, ComesBackSoonAfterAStretchThatCannotBeGuessed) {
  std::vector<bool> text(400, false);
  text.resize(800, true);
  EXPECT_LT(decode(text, 7).steps, 400 + 50 + 40);
}

TEST(DraftLength, AWrongGuessNowAndThenCostsLittle) {
  std::vector<bool> text(800, true);
  for (size_t i = 0; i < text.size(); i += 40) text[i] = false;
  EXPECT_LT(decode(text, 7).steps, 180);
}

}  // namespace
}  // namespace hyalite

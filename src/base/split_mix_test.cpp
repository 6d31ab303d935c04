#include "base/split_mix.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

// The first numbers that the authors' C program gives for this seed.
TEST(SplitMix64, GivesThePublishedSequence) {
  SplitMix64 random(1234567);
  for (uint64_t want : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u, 16408922859458223821u})
    EXPECT_EQ(random.next(), want);
}

}  // namespace
}  // namespace hyalite

#include "base/tokenizer_spec.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TokenizerSpec spec_of(StringTable pieces) {
  TokenizerSpec spec;
  spec.kinds.assign(pieces.size(), TokenKind::normal);
  spec.pieces = std::move(pieces);
  return spec;
}

TEST(FirstDifference, LeavesOutPadding) {
  const TokenizerSpec plain = spec_of({"a", "b"});
  TokenizerSpec padded = spec_of({"a", "b", "[PAD2]"});
  const auto found = first_difference(plain, padded);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, 2);
  EXPECT_EQ(found->one, "");
  EXPECT_EQ(found->other, "[PAD2]");
  padded.kinds[2] = TokenKind::unused;
  EXPECT_FALSE(first_difference(plain, padded));
  EXPECT_FALSE(first_difference(padded, plain));
}

TEST(FirstDifference, NamesTheFirstOfSeveral) {
  const TokenizerSpec one = spec_of({"a", "b", "c"}), other = spec_of({"a", "c", "b"});
  const auto found = first_difference(one, other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, 1);
  EXPECT_EQ(found->one, "b");
  EXPECT_EQ(found->other, "c");
}

}  // namespace
}  // namespace hyalite

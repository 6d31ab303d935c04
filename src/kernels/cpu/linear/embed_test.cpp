#include <gtest/gtest.h>

#include "base/error.h"
#include "kernels/cpu/linear/linear_testing.h"

namespace hyalite {
namespace {

TestOp embed(const TestWeight& table, std::vector<int32_t>& ids) {
  const auto tokens = static_cast<int64_t>(ids.size());
  TestOp test{.op = "embed", .output_columns = {table.plain().columns()}, .tokens = tokens};
  test.add(ValueType::of({DType::i32, {Dim::tokens()}}), {ids.data(), DType::i32, 1, {tokens}});
  test.add_weight(table);
  return test;
}

TEST(Embed, RowsEqualTheReferenceInEitherLayout) {
  std::vector<int32_t> ids = {3, 0, 36, 16, 3};
  for (DType dtype : kLinearFormats) {
    const TestWeight table(dtype, 37, 256, 9);
    const TestOp test = embed(table, ids);
    const std::vector<float> expected = test.run(*reference_variant("embed"), 1);
    for (const char* name : {"embed.rows16", "embed.rows"})
      for (int threads : {1, 3}) EXPECT_TRUE(equal_bits(test.run(*find_variant(name), threads), expected)) << name;
  }
}

TEST(Embed, RefusesIdsOutsideTheTable) {
  const TestWeight table(DType::q8_0, 16, 32, 9);
  for (int32_t id : {-1, 16}) {
    std::vector<int32_t> ids = {0, id};
    EXPECT_THROW(embed(table, ids).run(*find_variant("embed.rows16"), 1), Error);
    EXPECT_THROW(embed(table, ids).run(*find_variant("embed.rows"), 1), Error);
  }
}

}  // namespace
}  // namespace hyalite

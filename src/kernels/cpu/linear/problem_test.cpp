#include "kernels/cpu/linear/problem.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

// What a variant says of a step of `rows` rows.
std::string how(const char* variant, int64_t rows, DType weight = DType::q8_0, int64_t columns = 576, const char* activations = "q8") {
  const Attrs attrs = {{"activations", std::string(activations)}};
  const std::vector<ValueType> operands = {ValueType::of({DType::f32, {Dim::tokens(), Dim(columns)}}),
                                           ValueType::of({weight, {Dim(64), Dim(columns)}}),
                                           ValueType::of({weight, {Dim(64), Dim(columns)}})};
  const std::vector<ValueType> results = {ValueType::of({DType::f32, {Dim::tokens(), Dim(64)}})};
  return find_variant(variant)->how({.operands = operands, .results = results, .attrs = &attrs, .symbols = {rows, rows, rows}});
}

TEST(How, OneRowMeetsEachWeightOnce) {
  for (const char* variant : {"matmul.q8_0.avx512vnni", "matmul.q8_0.avx2", "fused_glu.avx2", "fused_qkv.scalar"})
    EXPECT_EQ(how(variant, 1), "1 row: each weight is read once and meets one row") << variant;
}

TEST(How, RowsGoInTilesOfTheTarget) {
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 8), "8 rows in a tile of 8 by a group of 16 weight rows; weights come from memory once");
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 36 + 11),
            "47 rows in tiles of 12, then 8 and 2 and 1 by a group of 16 weight rows; weights come from memory once");
  EXPECT_EQ(how("matmul.q8_0.avx2", 8), "8 rows in tiles of 4 by a group of 16 weight rows; weights come from memory once");
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 7),
            "7 rows in tiles of 4, then 2 and 1 by two groups of 16 weight rows; weights come from memory once");
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 2), "2 rows in a tile of 2 by a group of 16 weight rows; weights come from memory once");
  EXPECT_EQ(how("matmul.f32.avx512", 64, DType::f32), "64 rows in tiles of 8 by a group of 16 weight rows; weights come from memory once");
}

TEST(How, ManyRowsReadTheWeightsSeveralTimes) {
  EXPECT_EQ(tokens_at_once(576), 341);
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 512),
            "512 rows in tiles of 12, then 8 by a group of 16 weight rows; weights come from memory 2 times, for at most 348 rows that "
            "stay in the L2 cache");
}

TEST(How, SmallCodesAreUnpackedForManyRows) {
  EXPECT_EQ(how("matmul.q4_k.avx512vnni", 16, DType::q4_k, 1536),
            "16 rows in tiles of 8 by a group of 16 weight rows; 256 columns of weights are unpacked at a time, once");
  EXPECT_EQ(how("matmul.q4_k.avx2", 256, DType::q4_k, 1536),
            "256 rows in tiles of 4 by a group of 16 weight rows; 256 columns of weights are unpacked at a time, 2 times, for at most 128 "
            "rows whose sums stay in the L1 cache");
  EXPECT_EQ(how("matmul.q4_k.avx512vnni", 4, DType::q4_k, 1536),
            "4 rows in a tile of 4 by two groups of 16 weight rows; weights come from memory once");
}

TEST(How, PlanesCountAsRows) {
  EXPECT_EQ(how("matmul.q8_0.avx512vnni", 2, DType::q8_0, 576, "q8x2"),
            "2 rows of 2 planes in a tile of 4 by two groups of 16 weight rows; weights come from memory once");
}

TEST(How, TheTileUnitTakesSixteenRows) {
  EXPECT_EQ(
      how("matmul.q8_0.amx", 40, DType::q8_0, 576),
      "40 rows in tiles of 16, then 8 by a group of 16 weight rows and the tile unit; 256 columns of weights are unpacked at a time, once");
  EXPECT_EQ(how("matmul.q4_1.amx", 8, DType::q4_1, 576),
            "8 rows in a tile of 8 by a group of 16 weight rows; 256 columns of weights are unpacked at a time, once");
}

TEST(How, AHeadIsScreenedByRows) {
  const auto head = [](int64_t rows, DType dtype, int64_t columns) {
    return how(("lm_head." + std::string(format_of(dtype).name) + ".avx2").c_str(), rows, dtype, columns, "q8x2");
  };
  EXPECT_TRUE(head(1, DType::q8_0, 576).starts_with("1 row: where only the largest logits are wanted, the coarse plane of weights"));
  EXPECT_TRUE(head(3, DType::q8_0, 576).starts_with("3 rows: where only the largest logits are wanted, the first plane of activations"));
  EXPECT_NE(head(3, DType::q8_0, 576).find("; else 3 rows of 2 planes in tiles of 4, then 2"), std::string::npos);
  EXPECT_TRUE(head(8, DType::q6_k, 1536)
                  .ends_with("; else 8 rows of 2 planes in tiles of 4 by a group of 16 weight rows; 256 columns of weights are unpacked "
                             "at a time, once"));
  EXPECT_EQ(head(512, DType::q8_0, 576), "512 rows of 2 planes in tiles of 4 by a group of 16 weight rows; weights come from memory once");
}

TEST(How, TheTileUnitIsNamedWhereItMultiplies) {
  EXPECT_EQ(how("fused_glu.amx", 16, DType::bf16, 576, "f32").find("unpacked"), std::string::npos);
  EXPECT_EQ(how("fused_glu.amx", 16, DType::bf16, 576, "f32").find("tile unit"), std::string::npos);
  EXPECT_NE(how("fused_glu.amx", 16, DType::q6_k, 1536).find("unpacked"), std::string::npos);
  EXPECT_EQ(how("fused_glu.amx", 16, DType::q6_k, 1536).find("tile unit"), std::string::npos);
  EXPECT_NE(how("fused_glu.amx", 16, DType::q4_k, 1536).find("and the tile unit"), std::string::npos);
}

// A plan's workspace is that of its most rows, and serves steps of fewer.
TEST(LmHeadWorkspace, ServesFewerRows) {
  const Attrs attrs = {{"activations", std::string("q8x2")}};
  const std::vector<ValueType> operands = {ValueType::of({DType::f32, {Dim::logits_rows(), Dim(896)}}),
                                           ValueType::of({DType::q8_0, {Dim(50000), Dim(896)}})};
  const std::vector<ValueType> results = {ValueType::of({DType::f32, {Dim::logits_rows(), Dim(50000)}})};
  size_t least = 0;
  for (int64_t rows = 1; rows <= 130; ++rows) {
    const Problem problem{.operands = operands, .results = results, .attrs = &attrs, .symbols = {rows, rows, rows}};
    const size_t bytes = find_variant("lm_head.q8_0.avx2")->workspace(problem);
    EXPECT_GE(bytes, least) << rows;
    least = bytes;
  }
}

}  // namespace
}  // namespace hyalite

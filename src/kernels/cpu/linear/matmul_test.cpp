#include <gtest/gtest.h>

#include "kernels/cpu/linear/linear.h"
#include "kernels/cpu/linear/linear_testing.h"

namespace hyalite {
namespace {

TestOp matmul(const TestWeight& weight, int64_t tokens, const std::vector<float>& x) {
  const int64_t columns = weight.plain().columns();
  TestOp test{.op = "matmul", .attrs = {{"activations", "q8"}}, .output_columns = {weight.plain().rows()}, .tokens = tokens};
  test.add_matrix({x.begin(), x.begin() + tokens * columns}, columns);
  test.add_weight(weight);
  return test;
}

struct Shape {
  int64_t rows, columns;
};

std::vector<Shape> shapes_of(DType dtype) {
  std::vector<Shape> shapes;
  for (Shape shape : {Shape{1, 32}, {15, 33}, {17, 80}, {33, 256}, {40, 576}, {16, 1536}, {17, 4544}, {4544, 64}, {3, 14464}, {14464, 32}})
    if (shape.columns % format_of(dtype).block_elements == 0) shapes.push_back(shape);
  return shapes;
}

TEST(Matmul, EveryTargetGivesTheSameBitsWithinItsBound) {
  for (DType dtype : kLinearFormats) {
    for (Shape shape : shapes_of(dtype)) {
      const TestWeight weight(dtype, shape.rows, shape.columns, 3);
      const TestOp test = matmul(weight, 5, random_floats(5 * shape.columns, 11));
      const auto variants = accepting_variants(test);
      ASSERT_GE(variants.size(), 1u);
      const std::vector<float> oracle = test.run(*reference_variant("matmul"), 1), first = test.run(*variants.back(), 1);
      EXPECT_LT(relative_error(test, first, oracle), variants.back()->error_bound) << variants.back()->name << " " << shape.columns;
      for (const KernelVariant* variant : variants)
        EXPECT_TRUE(equal_bits(test.run(*variant, 1), first)) << variant->name << " " << shape.rows << " x " << shape.columns;
    }
  }
}

TEST(Matmul, ARowNeitherDependsOnTheBatchNorOnTheThreads) {
  for (DType dtype : kLinearFormats) {
    const int64_t rows = 49, columns = dtype == DType::f16 ? 300 : 512;
    const TestWeight weight(dtype, rows, columns, 4);
    const std::vector<float> x = random_floats(45 * columns, 12);
    const TestOp whole = matmul(weight, 45, x);
    for (const KernelVariant* variant : accepting_variants(whole)) {
      const std::vector<float> expected = whole.run(*variant, 1);
      for (int64_t tokens = 1; tokens <= 44; tokens += tokens < 9 ? 1 : 3) {
        const std::vector<float> got = matmul(weight, tokens, x).run(*variant, static_cast<int>(1 + tokens % 4));
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * 4), 0) << variant->name << " of " << tokens << " tokens";
      }
    }
  }
}

TEST(Matmul, RoundingTwiceKeepsAHundredTimesMore) {
  for (DType dtype : kLinearFormats) {
    if (!format_of(dtype).is_quantized) continue;
    const TestWeight weight(dtype, 33, 512, 5);
    const std::vector<float> x = random_floats(11 * 512, 14);
    TestOp once = matmul(weight, 11, x), twice = matmul(weight, 11, x);
    twice.attrs.set("activations", std::string("q8x2"));
    const std::vector<float> oracle = once.run(*reference_variant("matmul"), 1);
    const auto variants = accepting_variants(twice);
    ASSERT_GE(variants.size(), 1u);
    const std::vector<float> expected = twice.run(*variants.back(), 1);
    EXPECT_LT(100 * relative_error(twice, expected, oracle), relative_error(once, once.run(*variants.back(), 1), oracle))
        << format_of(dtype).name;
    for (const KernelVariant* variant : variants) {
      EXPECT_TRUE(equal_bits(twice.run(*variant, 2), expected)) << variant->name;
      for (int64_t tokens = 1; tokens < 11; ++tokens) {
        TestOp part = matmul(weight, tokens, x);
        part.attrs.set("activations", std::string("q8x2"));
        const std::vector<float> got = part.run(*variant, 1);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * 4), 0) << variant->name << " of " << tokens << " tokens";
      }
    }
  }
}

TEST(Matmul, ManyTokensSplitIntoSeveralPasses) {
  const int64_t tokens = 150;
  for (const auto& [dtype, columns] : {std::pair{DType::q4_k, int64_t{512}}, std::pair{DType::q8_0, int64_t{8960}}}) {
    const TestWeight weight(dtype, 40, columns, 6);
    const std::vector<float> x = random_floats(static_cast<size_t>(tokens * columns), 13);
    const TestOp test = matmul(weight, tokens, x);
    for (const KernelVariant* variant : accepting_variants(test)) {
      if (variant->name.ends_with("scalar")) continue;  // the same passes as AVX2, slowly
      const std::vector<float> got = test.run(*variant, 2);
      for (int64_t t = 0; t < tokens; ++t) {
        const std::vector<float> row(x.begin() + t * columns, x.begin() + (t + 1) * columns),
            alone = matmul(weight, 1, row).run(*variant, 1);
        const std::vector<float> part(got.begin() + t * 40, got.begin() + (t + 1) * 40);
        ASSERT_TRUE(equal_bits(part, alone)) << variant->name << ", token " << t;
      }
    }
  }
}

TEST(Matmul, TilesAddUpToAllTokensAndStayEvenForPairsOfPlanes) {
  for (int most : {4, 8, 12})
    for (int64_t tokens = 1; tokens < 80; ++tokens) {
      int64_t done = 0;
      for (int width; done < tokens; done += width) {
        width = tile_width(tokens - done, most);
        ASSERT_LE(width, most);
        EXPECT_EQ(kTileWidths[tile_index(width)], width);
        EXPECT_TRUE(width % 2 == 0 || tokens % 2 != 0) << tokens;
      }
      EXPECT_EQ(done, tokens);
      EXPECT_EQ(end_of_tiles(0, tokens, tokens, most), tokens);
    }
}

TEST(Matmul, KeepsQuietAboutZeroAndLoudAboutNaN) {
  const TestWeight weight(DType::q5_k, 17, 256, 8);
  std::vector<float> x(4 * 256, 0.0f);
  x[256] = 1e-38f;  // would overflow 127 / largest
  x[2 * 256 + 5] = NAN;
  x[3 * 256 + 9] = INFINITY;
  const TestOp test = matmul(weight, 4, x);
  for (const KernelVariant* variant : accepting_variants(test)) {
    const std::vector<float> y = test.run(*variant, 1);
    for (int i = 0; i < 34; ++i) EXPECT_EQ(y[i], 0) << variant->name;
    for (int i = 34; i < 68; ++i) EXPECT_TRUE(std::isnan(y[i])) << variant->name << " " << i;
  }
}

TEST(Matmul, ExtremesOfCodesDoNotOverflow) {
  for (DType dtype : kLinearFormats) {
    if (!format_of(dtype).is_quantized) continue;
    const TestWeight weight(dtype, 16, 256, 2);
    auto* bytes = static_cast<uint8_t*>(weight.plain().data);
    // All codes at their largest (q8_0 and iq4: at both ends by turns), scales of blocks left as they are.
    const bool book = row_format_of(dtype)->book == CodeBook::iq4;
    for (int64_t row = 0; row < 16; ++row) {
      uint8_t* at = bytes + row * row_bytes(dtype, 256);
      const RowFormat& format = *row_format_of(dtype);
      const size_t block = format.whole_row ? row_bytes(dtype, 256) : format_of(dtype).block_bytes;
      const size_t head = format.whole_row ? 8 : format.affine ? 3 : dtype == DType::mxfp4 ? 1 : format.has_min ? 4 : 2;
      const uint8_t other = dtype == DType::q8_0 ? 0x80 : book || format.affine ? 0x00 : 0xff;
      for (size_t i = 0; i < row_bytes(dtype, 256); ++i)
        if (dtype == DType::q6_k ? i < 192 : i % block >= head) at[i] = row % 2 ? other : 0xff;
    }
    AlignedBytes packed(packed_layout_of(dtype, "rows16")->packed_bytes(16, 256));
    packed_layout_of(dtype, "rows16")->pack(weight.plain(), 0, weight.plain().rows(), packed.data, {});
    TestOp test = matmul(weight, 4, std::vector<float>(4 * 256, -3.0f));
    test.packed[1].data = packed.data;
    const auto variants = accepting_variants(test);
    const std::vector<float> expected = test.run(*variants.back(), 1);
    EXPECT_LT(relative_error(test, expected, test.run(*reference_variant("matmul"), 1)), 1e-4) << format_of(dtype).name;
    for (const KernelVariant* variant : variants) EXPECT_TRUE(equal_bits(test.run(*variant, 1), expected)) << variant->name;
  }
}

// Once the activations are values that bf16 holds, a dot product of pairs is two fmas, in the order that the other kernels keep.
TEST(Matmul, Bf16DotsGiveTheBitsOfFmasOnRoundedActivations) {
  for (Shape shape : {Shape{1, 1}, {15, 33}, {16, 32}, {33, 257}, {49, 512}}) {
    const TestWeight weight(DType::bf16, shape.rows, shape.columns, 3);
    std::vector<float> x = random_floats(19 * shape.columns, 17), rounded = x;
    for (float& value : rounded) value = bf16_to_float(float_to_bf16(value));
    for (int64_t tokens : {1, 2, 7, 19}) {
      TestOp whole = matmul(weight, tokens, x), exact = matmul(weight, tokens, rounded);
      whole.attrs = exact.attrs = {{"activations", "bf16"}};
      const std::vector<float> expected = exact.run(*find_variant("matmul.bf16.scalar"), 1);
      for (const KernelVariant* variant : accepting_variants(exact))
        EXPECT_TRUE(equal_bits(exact.run(*variant, 2), expected)) << variant->name << " of " << shape.columns << " columns";
      const KernelVariant& best = *accepting_variants(whole).front();
      if (!best.rounds_alone) GTEST_SKIP() << "this CPU has no bf16 dot products";
      EXPECT_EQ(best.name, "matmul.bf16.avx512bf16");
      for (int threads : {1, 3}) EXPECT_TRUE(equal_bits(whole.run(best, threads), expected)) << tokens << " x " << shape.columns;
    }
  }
}

TEST(Matmul, Bf16DotsTakeDenormalsForZero) {
  const TestWeight weight(DType::bf16, 16, 4, 3);
  TestOp test = matmul(weight, 1, {1e-40f, 0, 1e-39f, -1e-40f});
  test.attrs = {{"activations", "bf16"}};
  const KernelVariant& best = *accepting_variants(test).front();
  if (!best.rounds_alone) GTEST_SKIP() << "this CPU has no bf16 dot products";
  EXPECT_TRUE(equal_bits(test.run(best, 1), std::vector<float>(16, 0.0f)));
}

TEST(Matmul, Bf16DotsWaitForLeaveToRound) {
  const TestWeight bf16(DType::bf16, 16, 64, 2), f16(DType::f16, 16, 64, 2);
  const KernelVariant& variant = *find_variant("matmul.bf16.avx512bf16");
  TestOp test = matmul(bf16, 1, random_floats(64, 1));
  EXPECT_EQ(variant.refuses(test.problem()), "rounds activations to bf16, asked for activations = q8");
  test.attrs = {};
  EXPECT_EQ(variant.refuses(test.problem()), "rounds activations to bf16, asked for activations = f32");
  test.attrs = {{"activations", "bf16"}};
  EXPECT_EQ(variant.refuses(test.problem()), "");
  test = matmul(f16, 1, random_floats(64, 1));
  test.attrs = {{"activations", "bf16"}};
  EXPECT_EQ(variant.refuses(test.problem()), "weight is f16");
}

TEST(Matmul, RefusesWithAReason) {
  const TestWeight weight(DType::q4_1, 16, 64, 2);
  TestOp test = matmul(weight, 1, random_floats(64, 1));
  EXPECT_EQ(find_variant("matmul.q4_1.scalar")->refuses(test.problem()), "");
  EXPECT_EQ(find_variant("matmul.q5_0.scalar")->refuses(test.problem()), "weight is q4_1");
  test.attrs = {};
  EXPECT_EQ(find_variant("matmul.q4_1.scalar")->refuses(test.problem()), "weight q4_1 needs int8 activations, asked for activations = f32");
}

TEST(Matmul, PredictsTheSlowerOfMemoryAndArithmetic) {
  const Machine machine{.read_bytes_per_s = 1e9, .int8_ops_per_s = 1e12};
  const TestWeight weight(DType::q8_0, 1024, 1024, 2);
  const KernelVariant& variant = *find_variant("matmul.q8_0.avx512vnni");
  TestOp one = matmul(weight, 1, random_floats(1024, 1));
  EXPECT_NEAR(variant.seconds(one.problem(), machine), 1024 * 1024 * 34 / 32 * 1e-9, 1e-5);
  one.tokens = 4096;
  EXPECT_GT(variant.seconds(one.problem(), machine), 2.0 * 4096 * 1024 * 1024 / 1e12);
}

}  // namespace
}  // namespace hyalite

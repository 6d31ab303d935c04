#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/linear/linear_testing.h"
#include "kernels/cpu/linear/plane_format.h"

namespace hyalite {
namespace {

constexpr DType kFormats[] = {DType::q8_0, DType::q6_k};
constexpr float kNothing = -std::numeric_limits<float>::infinity();

std::shared_ptr<AlignedBytes> planes_of(const TestWeight& weight) {
  const PackedLayout& layout = *packed_layout_of(weight.plain().dtype, "planes16");
  auto packed = std::make_shared<AlignedBytes>(layout.packed_bytes(weight.plain().rows(), weight.plain().columns()));
  for (int i = 0; i < 3; ++i) layout.pack(weight.plain(), 0, weight.plain().rows(), packed->data, {i, 3, 0});
  return packed;
}

// A head, and the same matrix as a plain matmul's.
struct TestHead {
  TestHead(DType dtype, int64_t rows, int64_t columns, int64_t tokens, uint32_t seed)
      : weight(dtype, rows, columns, seed), planes(planes_of(weight)), x(random_floats(tokens * columns, seed + 1)) {
    x[0] *= 20;  // as hidden states have a few large columns
    attrs = {{"activations", std::string("q8x2")}};
  }

  TestOp op(std::string name) {
    TestOp test{.op = std::move(name), .attrs = attrs, .output_columns = {weight.plain().rows()}, .batch = &batch};
    test.tokens = static_cast<int64_t>(x.size()) / weight.plain().columns();
    test.add_matrix(x, weight.plain().columns());
    test.add_weight(weight);
    if (test.op == "matmul") return test;
    test.packed[1].data = planes->data;
    test.add({.kind = ValueType::Kind::batch}, {});
    return test;
  }

  std::vector<float> logits() {
    const TestOp test = op("matmul");
    return test.run(*accepting_variants(test).front(), 1);
  }

  TestWeight weight;
  std::shared_ptr<AlignedBytes> planes;
  std::vector<float> x;
  Attrs attrs;
  BatchView batch;
};

TEST(Planes, UnpackToTheBitsOfTheFormat) {
  for (DType dtype : kFormats)
    for (int64_t rows : {1, 17, 48}) {
      const int64_t columns = 512;
      const TestWeight weight(dtype, rows, columns, 3);
      const auto packed = planes_of(weight);
      const FormatSpec& format = format_of(dtype);
      std::vector<float> expected(columns), got(columns);
      for (int64_t row = 0; row < rows; ++row) {
        format.decode(weight.plain().row(row), columns / format.block_elements, expected.data());
        packed_layout_of(dtype, "planes16")->unpack_row(packed->data, rows, columns, row, got.data());
        ASSERT_TRUE(equal_bits(got, expected)) << format.name << ", row " << row;
      }
    }
}

TEST(LmHead, AllLogitsAreThoseOfAMatmul) {
  for (DType dtype : kFormats)
    for (int64_t tokens : {1, 2, 5, 9}) {
      TestHead head(dtype, 75, 512, tokens, 11);
      const std::vector<float> want = head.logits();
      const TestOp test = head.op("lm_head");
      for (const KernelVariant* variant : accepting_variants(test))
        for (int threads : {1, 3})
          EXPECT_TRUE(equal_bits(test.run(*variant, threads), want)) << variant->name << ", " << tokens << " tokens";
    }
}

// Each row of `got` has the largest of `want` where it is, and otherwise what `want` has or nothing. Returns how much is left out.
int64_t expect_tops(const std::vector<float>& got, const std::vector<float>& want, int64_t tokens) {
  const auto columns = static_cast<int64_t>(want.size()) / tokens;
  for (int64_t t = 0; t < tokens; ++t) {
    const std::span<const float> exact(want.data() + t * columns, columns), row(got.data() + t * columns, columns);
    const auto top = std::ranges::max_element(exact);
    EXPECT_EQ(std::ranges::max_element(row) - row.begin(), top - exact.begin()) << "row " << t;
    for (int64_t i = 0; i < columns; ++i) EXPECT_TRUE(row[i] == exact[i] || (row[i] == kNothing && exact[i] < *top)) << t << ", " << i;
  }
  return std::ranges::count(got, kNothing);
}

TEST(LmHead, TheTopsAreExactAndTheRestIsBelowThem) {
  for (DType dtype : kFormats)
    for (uint32_t seed = 1; seed <= 24; ++seed) {
      const int64_t tokens = seed <= 16 ? 1 : seed - 15;
      TestHead head(dtype, 1000 + seed, 512, tokens, seed);
      const std::vector<float> want = head.logits();
      head.batch.top_only = true;
      const TestOp test = head.op("lm_head");
      for (const KernelVariant* variant : accepting_variants(test)) {
        SCOPED_TRACE(variant->name);
        const std::vector<float> got = test.run(*variant, 1);
        EXPECT_TRUE(equal_bits(got, test.run(*variant, 3)));
        EXPECT_GT(expect_tops(got, want, tokens), 100) << "screens nothing";
      }
    }
}

TEST(LmHead, ManyRowsAreScreenedOrMultipliedWhole) {
  for (int64_t tokens : {17, 64, 65}) {
    TestHead head(DType::q6_k, 3000, 256, tokens, 7);
    const std::vector<float> want = head.logits();
    head.batch.top_only = true;
    const TestOp test = head.op("lm_head");
    for (const KernelVariant* variant : accepting_variants(test)) {
      SCOPED_TRACE(variant->name);
      const int64_t left_out = expect_tops(test.run(*variant, 2), want, tokens);
      EXPECT_EQ(left_out > 0, tokens <= 64) << tokens << " rows";
    }
  }
}

TEST(LmHead, EqualLogitsAreAllKept) {
  TestHead head(DType::q8_0, 640, 256, 1, 5);
  std::ranges::fill(head.x, 0.0F);
  head.batch.top_only = true;
  const TestOp test = head.op("lm_head");
  for (const KernelVariant* variant : accepting_variants(test))
    EXPECT_TRUE(equal_bits(test.run(*variant, 2), std::vector<float>(640, 0.0F)));
}

TEST(LmHead, InputThatIsNoNumberLeavesNothingOut) {
  for (int64_t tokens : {1, 3}) {
    TestHead head(DType::q8_0, 640, 256, tokens, 5);
    head.x[7] = std::numeric_limits<float>::quiet_NaN();
    head.batch.top_only = true;
    const TestOp test = head.op("lm_head");
    for (const KernelVariant* variant : accepting_variants(test)) {
      const std::vector<float> got = test.run(*variant, 2);
      for (size_t i = 0; i < 640; ++i) EXPECT_TRUE(std::isnan(got[i])) << variant->name;
      EXPECT_EQ(std::ranges::count(got, kNothing), 0) << variant->name;
    }
  }
}

TEST(LmHead, RefusesColumnsThatItCannotPutTogether) {
  const ValueType x = ValueType::of({DType::f32, {Dim::tokens(), Dim(32768)}}), w = ValueType::of({DType::q8_0, {Dim(64), Dim(32768)}});
  const std::vector<ValueType> operands = {x, w, ValueType::batch()};
  const Attrs attrs = {{"activations", std::string("q8x2")}};
  const Problem problem{operands, {}, &attrs, {1, 1, 1}, nullptr};
  EXPECT_NE(find_variant("lm_head.q8_0.scalar")->refuses(problem), "");
}

}  // namespace
}  // namespace hyalite

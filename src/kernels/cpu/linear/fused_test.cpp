#include <gtest/gtest.h>

#include <numeric>

#include "kernels/cpu/linear/linear_testing.h"

namespace hyalite {
namespace {

// Positions of one sequence, and what a batch needs besides for these ops.
struct TestBatch {
  explicit TestBatch(int32_t tokens, int32_t start) : positions(tokens), sequence_of(tokens, 0) {
    std::iota(positions.begin(), positions.end(), start);
    view = {.tokens = tokens, .sequences = 1, .positions = positions.data(), .sequence_of = sequence_of.data()};
  }
  std::vector<int32_t> positions, sequence_of;
  BatchView view;
};

void expect_all_agree(const TestOp& test) {
  const std::vector<float> oracle = test.run(*reference_variant(test.op), 1);
  const auto variants = accepting_variants(test);
  ASSERT_FALSE(variants.empty()) << test.op;
  const std::vector<float> first = test.run(*variants.back(), 1);
  EXPECT_LT(relative_error(test, first, oracle), variants.back()->error_bound) << test.op;
  for (const KernelVariant* variant : variants)
    for (int threads : {1, 2, 3})
      EXPECT_TRUE(equal_bits(test.run(*variant, threads), first)) << variant->name << " " << threads << " threads";
}

TEST(FusedQkv, MixesFormatsAndAddsBiases) {
  const int64_t columns = 256;
  const TestWeight wq(DType::q4_k, 96, columns, 1), wk(DType::f16, 40, columns, 2), wv(DType::q6_k, 33, columns, 3);
  for (int64_t tokens : {1, 2, 7, 19}) {
    TestOp test{.op = "fused_qkv", .attrs = {{"activations", "q8"}}, .output_columns = {96, 40, 33}, .tokens = tokens};
    test.add_matrix(random_floats(tokens * columns, 5), columns);
    for (const TestWeight* weight : {&wq, &wk, &wv}) test.add_weight(*weight);
    test.add_vector(random_floats(96, 6));
    test.add_absent();
    test.add_vector(random_floats(33, 7));
    expect_all_agree(test);
  }
}

struct RopeCase {
  int64_t head_dim, pairs;
  bool interleaved, head_norms, biases;
};

TEST(FusedRmsNormQkvRope, TurnsNormalisesAndProjects) {
  const int64_t columns = 320;
  for (const RopeCase& c : {RopeCase{64, 32, false, false, false},
                            {64, 32, true, false, true},
                            {80, 40, false, true, false},
                            {80, 20, true, true, true},
                            {48, 10, false, false, true},
                            {6, 3, true, true, false}}) {
    const TestWeight wq(DType::q5_0, 4 * c.head_dim, columns, 1), wk(DType::q8_0, 2 * c.head_dim, columns, 2),
        wv(DType::bf16, 2 * c.head_dim, columns, 3);
    for (int32_t tokens : {1, 6, 17}) {
      const TestBatch batch(tokens, 4000);
      TestOp test{.op = "fused_rmsnorm_qkv_rope",
                  .attrs = {{"eps", 1e-5}, {"head_dim", c.head_dim}, {"interleaved", c.interleaved}, {"scale", 1.1}, {"activations", "q8"}},
                  .output_columns = {4 * c.head_dim, 2 * c.head_dim, 2 * c.head_dim},
                  .tokens = tokens,
                  .batch = &batch.view};
      test.add_matrix(random_floats(tokens * columns, 5, 3.0f), columns);
      test.add_vector(random_floats(columns, 8));
      for (const TestWeight* weight : {&wq, &wk, &wv}) test.add_weight(*weight);
      for (int64_t rows : test.output_columns) c.biases ? test.add_vector(random_floats(rows, 9)) : test.add_absent();
      for (int i = 0; i < 2; ++i) c.head_norms ? test.add_vector(random_floats(c.head_dim, 10)) : test.add_absent();
      std::vector<float> freqs(c.pairs);
      for (int64_t i = 0; i < c.pairs; ++i) freqs[i] = std::pow(1e4f, -static_cast<float>(i) / static_cast<float>(c.pairs));
      test.add_vector(freqs);
      test.add({.kind = ValueType::Kind::batch}, {});
      expect_all_agree(test);
    }
  }
}

TEST(FusedGlu, BothActivations) {
  const int64_t columns = 512;
  for (const char* activation : {"silu", "gelu_tanh"}) {
    for (DType dtype : {DType::q4_1, DType::q5_k, DType::f32}) {
      const TestWeight gate(dtype, 50, columns, 1), up(DType::q8_0, 50, columns, 2);
      for (int64_t tokens : {1, 3, 18}) {
        TestOp test{
            .op = "fused_glu", .attrs = {{"activation", activation}, {"activations", "q8"}}, .output_columns = {50}, .tokens = tokens};
        test.add_matrix(random_floats(tokens * columns, 5), columns);
        test.add_weight(gate);
        test.add_weight(up);
        expect_all_agree(test);
      }
    }
  }
}

TEST(FusedQkv, DenseWeightsOfAnyWidthKeepFullPrecision) {
  const int64_t columns = 33;
  const TestWeight wq(DType::f32, 20, columns, 1), wk(DType::f16, 5, columns, 2), wv(DType::bf16, 5, columns, 3);
  TestOp test{.op = "fused_qkv", .output_columns = {20, 5, 5}, .tokens = 5};
  test.add_matrix(random_floats(5 * columns, 5), columns);
  for (const TestWeight* weight : {&wq, &wk, &wv}) test.add_weight(*weight);
  for (int i = 0; i < 3; ++i) test.add_absent();
  const std::vector<float> got = test.run(*accepting_variants(test).front(), 2);
  EXPECT_LT(relative_error(test, got, test.run(*reference_variant("fused_qkv"), 1)), 2e-5);
  expect_all_agree(test);
}

// Activations that bf16 holds: kernels that round them to it, and are offered the op first, then change nothing.
TEST(FusedGlu, Bf16DotsGiveTheBitsOfFmasOnRoundedActivations) {
  const int64_t columns = 129, tokens = 13;
  const TestWeight gate(DType::bf16, 50, columns, 1), up(DType::bf16, 50, columns, 2);
  std::vector<float> x = random_floats(tokens * columns, 5);
  for (float& value : x) value = bf16_to_float(float_to_bf16(value));
  TestOp glu{.op = "fused_glu", .attrs = {{"activation", "silu"}, {"activations", "bf16"}}, .output_columns = {50}, .tokens = tokens};
  TestOp qkv{.op = "fused_qkv", .attrs = {{"activations", "bf16"}}, .output_columns = {50, 50, 50}, .tokens = tokens};
  glu.add_matrix(x, columns), qkv.add_matrix(x, columns);
  for (const TestWeight* weight : {&gate, &up}) glu.add_weight(*weight);
  for (const TestWeight* weight : {&gate, &up, &gate}) qkv.add_weight(*weight);
  for (int i = 0; i < 3; ++i) qkv.add_vector(random_floats(50, 9));
  expect_all_agree(glu);
  expect_all_agree(qkv);
}

TEST(FusedRmsNormQkvRope, RefusesWithAReason) {
  const TestWeight q2(DType::q4_0, 64, 64, 1);
  TestOp test{.op = "fused_qkv", .attrs = {{"activations", "q8"}}, .output_columns = {64, 64, 64}, .tokens = 1};
  test.add_matrix(random_floats(64, 1), 64);
  for (int i = 0; i < 3; ++i) test.add_weight(q2);
  for (int i = 0; i < 3; ++i) test.add_vector(random_floats(64, 2));
  const KernelVariant& variant = *find_variant("fused_qkv.scalar");
  EXPECT_EQ(variant.refuses(test.problem()), "");
  test.types[5].tensor.dtype = DType::f16;
  EXPECT_EQ(variant.refuses(test.problem()), "bk is f16, must be f32");
  test.types[2].tensor.dtype = DType::q2_k;
  EXPECT_EQ(variant.refuses(test.problem()), "weight q2_k has no row kernel");
}

}  // namespace
}  // namespace hyalite

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "kernels/cpu/linear/linear_testing.h"
#include "kernels/cpu/onednn/library.h"

namespace hyalite {
namespace {

const KernelVariant& variant() {
  return *find_variant("matmul.f32.onednn");
}

TestOp matmul(const TestWeight& weight, int64_t tokens) {
  const int64_t columns = weight.plain().columns();
  TestOp test{.op = "matmul", .attrs = {{"activations", "f32"}}, .output_columns = {weight.plain().rows()}, .tokens = tokens};
  test.add_matrix(random_floats(static_cast<size_t>(tokens * columns), 12), columns);
  test.add_weight(weight);
  return test;
}

TEST(OneDnnMatmul, RefusesWithAReason) {
  const TestWeight f32(DType::f32, 48, 64, 2), f16(DType::f16, 48, 64, 2);
  EXPECT_EQ(variant().refuses(matmul(f32, 16).problem()), "");
  EXPECT_EQ(variant().refuses(matmul(f32, 15).problem()), "pays from 16 rows on, here are at most 15");
  EXPECT_EQ(variant().refuses(matmul(f16, 64).problem()), "weight is f16");
}

TEST(OneDnnMatmul, SaysWhatIsMissing) {
  EXPECT_EQ(lacks(variant(), 0), "needs avx512");
  EXPECT_EQ(lacks(variant(), kAvx512), onednn().missing);
  if (onednn().missing.empty())
    EXPECT_GE(onednn().version, "2.");
  else
    EXPECT_TRUE(onednn().missing.starts_with("needs ")) << onednn().missing;
}

class OneDnnRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = lacks(variant(), detect_machine().features); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(OneDnnRuns, AgreesWithTheReferenceWhateverTheSizes) {
  struct Shape {
    int64_t rows, columns;
  };
  for (Shape shape : {Shape{1, 32}, {15, 33}, {47, 511}, {48, 512}, {49, 513}, {100, 1100}, {576, 1536}})
    for (int64_t tokens : {1, 2, 7, 16, 33, 100, 300}) {
      const TestWeight weight(DType::f32, shape.rows, shape.columns, 3);
      const TestOp test = matmul(weight, tokens);
      const std::vector<float> expected = test.run(*reference_variant("matmul"), 1), got = test.run(variant(), 1);
      EXPECT_LT(relative_error(test, got, expected), variant().error_bound) << tokens << " x " << shape.columns << " to " << shape.rows;
      for (int threads : {2, 5}) EXPECT_TRUE(equal_bits(test.run(variant(), threads), got)) << threads << " threads, " << shape.rows;
    }
}

TEST_F(OneDnnRuns, ThreadsOfOursStartNoneOfItsOwn) {
  const OneDnn& library = onednn();
  if (!library.threads) GTEST_SKIP() << "oneDNN " << library.version << " is built without threads";
  ThreadPool pool(2);
  pool.run([&](int) {
    library.set_threads(3);
    {
      const OneThread alone(library);
      EXPECT_EQ(library.threads(), 1);
    }
    EXPECT_EQ(library.threads(), 3) << "what the thread had is given back";
  });
}

}  // namespace
}  // namespace hyalite

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/cpu/isa/avx2.h"
#include "kernels/cpu/isa/avx512.h"
#include "kernels/cpu/isa/scalar.h"

namespace hyalite::scalar {
#include "kernels/cpu/isa/isa_test.inc"
}
HYALITE_TARGET_BEGIN(HYALITE_AVX2)
namespace hyalite::avx2 {
#include "kernels/cpu/isa/isa_test.inc"
}
HYALITE_TARGET_END
HYALITE_TARGET_BEGIN(HYALITE_AVX512)
namespace hyalite::avx512 {
#include "kernels/cpu/isa/isa_test.inc"
}
HYALITE_TARGET_END

namespace hyalite {
namespace {

constexpr int kProbed = 22 * 16;
using Probe = void (*)(const float*, const float*, float*);

std::vector<Probe> wide_targets() {
  std::vector<Probe> targets;
  if (__builtin_cpu_supports("avx2")) targets.push_back(avx2::probe);
  if (__builtin_cpu_supports("avx512bw")) targets.push_back(avx512::probe);
  return targets;
}

void expect_equal_bits(const float* x, const float* y) {
  float expected[kProbed] = {};
  scalar::probe(x, y, expected);
  for (Probe probe : wide_targets()) {
    float got[kProbed] = {};
    probe(x, y, got);
    for (int i = 0; i < kProbed; ++i) {
      if (std::isnan(expected[i]) && std::isnan(got[i])) continue;
      ASSERT_EQ(std::bit_cast<uint32_t>(expected[i]), std::bit_cast<uint32_t>(got[i]))
          << "function " << i / 16 << " of " << x[i % 16] << ", " << y[i % 16] << ": " << expected[i] << " against " << got[i];
    }
  }
}

TEST(Isa, TargetsAgreeToTheBit) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 2000; ++round) {
    float x[16], y[16];
    const float size = std::exp(normal(random) * 3);
    for (int i = 0; i < 16; ++i) x[i] = normal(random) * size, y[i] = normal(random) * size;
    expect_equal_bits(x, y);
  }
}

TEST(Isa, TargetsAgreeOnEdges) {
  const float inf = INFINITY;
  const float x[16] = {0, -0.0f, 1, -1, inf, -inf, NAN, 88.72f, 88.8f, -87.3f, -87.4f, 0.5f, 1.5f, -2.5f, 65519, 1e-7f};
  const float y[16] = {1, 2, NAN, 3, 1, 1, 1, -0.0f, 0, 127.5f, 126.5f, 4, 5, 6, 7, 8};
  expect_equal_bits(x, y);
  expect_equal_bits(y, x);
}

double ulps(float got, double exact) {
  const float rounded = static_cast<float>(exact);
  return std::abs(got - exact) / (std::nextafter(std::abs(rounded), INFINITY) - std::abs(rounded));
}

TEST(Isa, ExpIsAccurate) {
  double worst = 0;
  for (float x = -87.3f; x < 88.7f; x += 0.00137f) worst = std::max(worst, ulps(scalar::exp(scalar::F32{x}).v, std::exp(double(x))));
  EXPECT_LT(worst, 1.1);
  EXPECT_EQ(scalar::exp(scalar::F32{0}).v, 1);
  EXPECT_EQ(scalar::exp(scalar::F32{-1000}).v, 0);
  EXPECT_EQ(scalar::exp(scalar::F32{1000}).v, INFINITY);
  EXPECT_TRUE(std::isnan(scalar::exp(scalar::F32{NAN}).v));
}

TEST(Isa, ExpToOneIsAccurate) {
  double worst = 0;
  for (float x = -87.3f; x <= 0; x += 0.00037f) worst = std::max(worst, ulps(scalar::exp_to_1(scalar::F32{x}).v, std::exp(double(x))));
  EXPECT_LT(worst, 1.1);
  EXPECT_EQ(scalar::exp_to_1(scalar::F32{0}).v, 1);
  EXPECT_EQ(scalar::exp_to_1(scalar::F32{-87.4f}).v, 0);
  EXPECT_EQ(scalar::exp_to_1(scalar::F32{-INFINITY}).v, 0);
  EXPECT_TRUE(std::isnan(scalar::exp_to_1(scalar::F32{NAN}).v));
}

TEST(Isa, ActivationsAreAccurate) {
  double silu = 0, gelu = 0;
  for (float x = -8; x < 30; x += 0.00071f) {
    silu = std::max(silu, ulps(scalar::silu(scalar::F32{x}).v, x / (1 + std::exp(-double(x)))));
    const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(double(x), 3));
    if (x > -3) gelu = std::max(gelu, ulps(scalar::gelu_tanh(scalar::F32{x}).v, 0.5 * x * (1 + std::tanh(u))));
  }
  EXPECT_LT(silu, 3);
  EXPECT_LT(gelu, 12);  // the rounding of u, seen through exp
}

TEST(Isa, SineAndCosineAreAccurateAtFarPositions) {
  double near = 0, far = 0;
  for (float x = -500; x < 1.5f * (1 << 22); x = x < 500 ? x + 0.0123f : x * 1.00017f) {
    scalar::F32 sine, cosine;
    scalar::sincos(scalar::F32{x}, sine, cosine);
    double& worst = x < (1 << 19) ? near : far;
    worst = std::max({worst, std::abs(sine.v - std::sin(double(x))), std::abs(cosine.v - std::cos(double(x)))});
  }
  EXPECT_LT(near, 1.5e-7);
  EXPECT_LT(far, 0x1p-18);
}

}  // namespace
}  // namespace hyalite

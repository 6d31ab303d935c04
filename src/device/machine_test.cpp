#include "device/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "base/error.h"
#include "device/cpu_features.h"

namespace hyalite {
namespace {

constexpr uint32_t leaf1_avx2 = 1u << 12 | 1u << 27 | 1u << 28 | 1u << 29;
constexpr uint32_t leaf7_avx2 = 1u << 5, leaf7_avx512 = leaf7_avx2 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;

TEST(CpuFeatures, SetsCountOnlyWithTheirRegisterState) {
  CpuidWords words{leaf1_avx2, leaf7_avx512, 1u << 11, 1u << 24 | 1u << 25, 1u << 4 | 1u << 5, 0x600e7};
  EXPECT_EQ(features_from(words), kAvx2 | kAvxVnni | kAvx512 | kAvx512Vnni | kAvx512Bf16 | kAmxInt8);
  words.leaf7_edx |= 1u << 22;
  EXPECT_EQ(features_from(words), kAvx2 | kAvxVnni | kAvx512 | kAvx512Vnni | kAvx512Bf16 | kAmxInt8 | kAmxBf16);
  words.xcr0 = 0xe7;  // one that does not save tiles
  EXPECT_EQ(features_from(words), kAvx2 | kAvxVnni | kAvx512 | kAvx512Vnni | kAvx512Bf16);
  words.xcr0 = 0x07;  // an operating system that does not save ZMM registers
  EXPECT_EQ(features_from(words), kAvx2 | kAvxVnni);
  words.xcr0 = 0x03;
  EXPECT_EQ(features_from(words), 0u);
}

TEST(CpuFeatures, SetsCountOnlyWithTheSetsBelow) {
  EXPECT_EQ(features_from({leaf1_avx2 & ~(1u << 12), leaf7_avx512, 1u << 11, 0, 0, 0xe7}), 0u) << "no FMA";
  EXPECT_EQ(features_from({leaf1_avx2, leaf7_avx512 & ~(1u << 30), 1u << 11, 0, 1u << 5, 0xe7}), kAvx2) << "no AVX-512 BW";
  EXPECT_EQ(features_from({leaf1_avx2, leaf7_avx512, 1u << 11, 1u << 24, 0, 0x600e7}), kAvx2 | kAvx512 | kAvx512Vnni)
      << "tiles without int8";
  EXPECT_EQ(features_from({leaf1_avx2, leaf7_avx512, 0, 1u << 24 | 1u << 25, 0, 0x600e7}), kAvx2 | kAvx512) << "tiles without VNNI";
  EXPECT_EQ(features_from({}), 0u);
}

TEST(Machine, LevelNamesRoundTrip) {
  for (const IsaLevel level : isa_levels()) EXPECT_EQ(isa_level_named(name_of(level)), level);
  EXPECT_FALSE(isa_level_named("AVX2"));
  EXPECT_FALSE(isa_level_named(""));
}

TEST(Machine, DescribesMasksInOrder) {
  EXPECT_EQ(describe_features(0), "scalar");
  EXPECT_EQ(describe_features(kAvx512Vnni | kAvx2 | kAvx512), "avx2+avx512+avx512vnni");
}

TEST(Machine, DetectsPlausibleFigures) {
  const Machine machine = detect_machine();
  EXPECT_FALSE(machine.cpu_model.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GE(machine.cpus, machine.cores);
  EXPECT_GE(machine.numa_nodes, 1);
  EXPECT_GE(machine.l1_bytes, size_t{8} << 10);
  EXPECT_GE(machine.l2_bytes, machine.l1_bytes);
  EXPECT_GT(machine.memory_bytes, uint64_t{64} << 20);
  EXPECT_FALSE(machine.measured);
  EXPECT_GT(machine.read_bytes_per_s, 0);
}

TEST(Machine, CountsOnlyTheCpusOfTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Machine machine = detect_machine();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(machine.cpus, 1);
  EXPECT_EQ(machine.cores, 1);
}

TEST(Machine, RestrictingCutsFeaturesAndRates) {
  Machine machine = detect_machine();
  machine.features = features_of(IsaLevel::avx512);
  machine.f32_flops_per_s = 1e15;
  machine.read_bytes_per_s = 123e9;
  machine.measured = true;
  EXPECT_EQ(restrict_isa(machine, IsaLevel::avx512).f32_flops_per_s, 1e15);
  const Machine avx2 = restrict_isa(machine, IsaLevel::avx2);
  EXPECT_EQ(avx2.features, kAvx2 | kAvxVnni);
  EXPECT_FALSE(avx2.measured);
  EXPECT_LT(avx2.f32_flops_per_s, 1e15);
  EXPECT_EQ(avx2.read_bytes_per_s, 123e9) << "memory does not depend on the instruction set";
  EXPECT_EQ(restrict_isa(machine, IsaLevel::scalar).features, 0u);
}

TEST(Machine, RestrictingToWhatIsNotThereIsAnError) {
  Machine machine;
  machine.cpu_model = "a small CPU";
  machine.features = kAvx2;
  try {
    restrict_isa(machine, IsaLevel::avx512);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "--isa avx512: this CPU (a small CPU) has only avx2");
  }
}

}  // namespace
}  // namespace hyalite

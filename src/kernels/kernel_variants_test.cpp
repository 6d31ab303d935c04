#include "kernels/kernel_variants.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/cpu/roofline.h"

namespace hyalite {
namespace {

TEST(KernelVariants, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const KernelVariant* variant : cpu_variants()) {
    EXPECT_TRUE(names.insert(variant->name).second) << variant->name;
    EXPECT_EQ(find_variant(variant->name), variant);
    EXPECT_NE(find_op(variant->op), nullptr) << variant->name;
    EXPECT_EQ(variant->name.substr(0, variant->op.size()), variant->op);
    EXPECT_GE(variant->phases, 1);
    EXPECT_NE(variant->run, nullptr);
  }
  EXPECT_EQ(find_variant("rms_norm.mmx"), nullptr);
}

TEST(KernelVariants, EveryStepOpHasAReference) {
  for (const char* op : {"rms_norm", "matmul", "paged_attention_decode", "cache_append", "embed"}) {
    const KernelVariant* reference = reference_variant(op);
    ASSERT_NE(reference, nullptr) << op;
    EXPECT_EQ(reference->name, std::string(op) + ".reference");
    EXPECT_EQ(find_variant(reference->name), reference);
    EXPECT_EQ(reference->needs, 0u);
  }
  for (const char* op : {"weight", "constant", "convert", "no_such_op"}) EXPECT_EQ(reference_variant(op), nullptr) << op;
}

TEST(Roofline, TakesTheLongerOfMovingAndComputing) {
  Machine machine;
  machine.features = kAvx2 | kAvx512;
  machine.read_bytes_per_s = 10e9;
  machine.f32_flops_per_s = 100e9;
  EXPECT_DOUBLE_EQ(roofline_seconds({100e9, 10}, 10, machine, kAvx512), 1);
  EXPECT_DOUBLE_EQ(roofline_seconds({1, 10e9}, 10e9, machine, kAvx512), 1);
  EXPECT_DOUBLE_EQ(roofline_seconds({100e9, 10}, 10, machine, kAvx2), 2) << "half the width, twice the time";
  EXPECT_LT(roofline_seconds({1, 10e9}, 0, machine, kAvx512), 1) << "caches are faster than memory";
}

}  // namespace
}  // namespace hyalite

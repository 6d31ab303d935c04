#include "workbench/quantize/sensitivity.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "importers/testing/files.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

TensorSensitivity tensor(std::string name, double kl) {
  TensorSensitivity result{.tensor = std::move(name), .source_bytes = 4000, .probe = DType::q4_0, .probe_kl = kl};
  result.candidates = {{DType::q4_0, 1000, kl}, {DType::q8_0, 2000, kl / 256}};
  return result;
}

GgufCheckpoint checkpoint_of(int64_t elements) {
  GgufCheckpoint checkpoint;
  checkpoint.tensors.push_back({{"a.weight", DType::f32, {elements}}, "a", true, nullptr});
  return checkpoint;
}

TEST(RecipeWithin, SpendsTheSizeWhereItHelpsMost) {
  const std::vector<TensorSensitivity> tensors = {tensor("a", 1), tensor("b", 9), tensor("c", 3)};
  const GgufCheckpoint checkpoint = checkpoint_of(8000);  // 3 tensors of 1000 bytes are 3 bits a weight
  auto types = [&](double bits) {
    std::string text;
    for (const RecipeRule& rule : recipe_within(checkpoint, tensors, bits))
      text += rule.pattern + ":" + std::string(format_of(rule.dtype).name) + " ";
    return text;
  };
  EXPECT_EQ(types(3), "a:q4_0 b:q4_0 c:q4_0 ");
  EXPECT_EQ(types(4.5), "a:q4_0 b:q8_0 c:q4_0 ");
  EXPECT_EQ(types(5), "a:q4_0 b:q8_0 c:q8_0 ");
  EXPECT_EQ(types(32), "a:q8_0 b:q8_0 c:q8_0 ");
  EXPECT_THROW(types(2.9), Error);
}

// Every matrix in four bits moves the logits; eight bits move them much less.
TEST(Sensitivity, RanksMatricesOfATinyModel) {
  testing::TemporaryDirectory place;
  write_tiny_model(place.path() / "model", tiny_config("qwen2"), 1);
  const GgufCheckpoint checkpoint = open_as_gguf(place.path() / "model");
  std::vector<int32_t> ids(128);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 7 % 50);
  const SweepOptions sweep{{DType::q4_0, DType::q8_0}, 5, 64, 2};
  const CompileOptions options{.machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar, .threads = 2};
  int done = 0;
  const auto found = measure_sensitivity(checkpoint, sweep, ids, {}, options, [&] { ++done; });
  EXPECT_EQ(done, static_cast<int>(std::ranges::count(checkpoint.tensors, true, &GgufCheckpointTensor::is_matrix)));
  ASSERT_EQ(static_cast<int>(found.size()), done);
  for (size_t i = 0; i < found.size(); ++i) {
    const TensorSensitivity& one = found[i];
    EXPECT_GT(one.probe_kl, 0) << one.tensor;
    EXPECT_LE(one.kl_per_megabyte_saved(), found[i ? i - 1 : 0].kl_per_megabyte_saved());
    if (one.candidates.size() < 2) continue;  // rows of 144 have no whole blocks
    EXPECT_EQ(one.candidates[0].dtype, DType::q4_0);
    EXPECT_DOUBLE_EQ(one.candidates[0].kl, one.probe_kl);
    EXPECT_LT(one.candidates[1].kl, one.probe_kl / 20);
  }
  const auto wide = recipe_within(checkpoint, found, 32);
  EXPECT_EQ(wide.size(), found.size());
}

}  // namespace
}  // namespace hyalite

#include "plan/weight_set.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "plan/testing_plan.h"

namespace hyalite {
namespace {

std::shared_ptr<WeightStore> random_store(const ExecutionPlan& plan) {
  auto store = std::make_shared<WeightStore>();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const PlanWeight& weight : plan.weights) {
    if (!weight.values.empty()) continue;
    std::vector<uint8_t> bytes(bytes_of(weight.type, {}));
    for (size_t i = 0; i < bytes.size() / 4; ++i) reinterpret_cast<float*>(bytes.data())[i] = normal(random);
    store->add_owned(weight.name, weight.type, {"test", weight.name}, std::move(bytes));
  }
  return store;
}

TEST(WeightSet, PacksOnceForBothPlansAndKeepsEveryValue) {
  ExecutionPlan plan = testing::make_plan(testing::mlp_graph(2), {}, testing::plan_options(IsaLevel::avx2));
  std::shared_ptr<WeightStore> store = random_store(plan);
  ThreadPool pool(2);
  const ExecutionPlan* plans[] = {&plan, &plan};
  auto set = WeightSet::pack(plans, store, pool);
  size_t packed = 0;
  for (const PlanWeight& weight : plan.weights) {
    if (weight.packed.empty()) continue;
    ++packed;
    const PackedLayout* layout = packed_layout_of(weight.type.dtype, weight.packed);
    TensorView source = store->view(weight.name), view = set->view(weight, weight.packed);
    std::vector<float> row(source.columns());
    for (int64_t r = 0; r < source.dims[0]; ++r) {
      layout->unpack_row(static_cast<const uint8_t*>(view.data), source.dims[0], source.columns(), r, row.data());
      ASSERT_EQ(0, std::memcmp(row.data(), source.row(r), row.size() * sizeof(float))) << weight.name << " row " << r;
    }
  }
  EXPECT_EQ(packed, 7u);
  EXPECT_EQ(set->entries().size(), plan.weights.size());
}

TEST(WeightSet, PacksTheSameOnAnyNumberOfThreads) {
  ExecutionPlan plan;
  plan.weights = {{.name = "odd", .type = {DType::f32, {Dim(777), Dim(64)}}, .packed = "rows16"},
                  {.name = "small", .type = {DType::f32, {Dim(8), Dim(32)}}, .packed = "rows16"},
                  {.name = "sliced", .type = {DType::f32, {Dim(4000), Dim(1024)}}, .packed = "rows16"}};
  const std::shared_ptr<WeightStore> store = random_store(plan);
  const ExecutionPlan* plans[] = {&plan};
  ThreadPool alone(1);
  const auto expected = WeightSet::pack(plans, store, alone);
  for (int threads : {2, 3, 5}) {
    ThreadPool pool(threads);
    const auto got = WeightSet::pack(plans, store, pool);
    for (const auto& [key, entry] : expected->entries()) {
      const WeightSet::Entry& other = got->entries().at(key);
      ASSERT_EQ(other.bytes, entry.bytes);
      EXPECT_EQ(std::memcmp(other.data, entry.data, entry.bytes), 0) << key.name << " on " << threads << " threads";
    }
  }
}

TEST(WeightSet, PredictsItsBytes) {
  ExecutionPlan plan = testing::make_plan(testing::mlp_graph(1), {}, testing::plan_options(IsaLevel::scalar));
  ThreadPool pool(1);
  const ExecutionPlan* plans[] = {&plan};
  auto set = WeightSet::pack(plans, random_store(plan), pool);
  size_t forms = 0;
  for (const PlanWeight& weight : plan.weights)
    for (const std::string& layout : layouts_of(weight)) {
      ++forms;
      EXPECT_EQ(set->entries().at({weight.name, weight.type.dtype, layout}).bytes, weight_bytes(weight.type, layout)) << weight.name;
    }
  EXPECT_EQ(set->entries().size(), forms);
}

TEST(WeightSet, LeavesOnlyLargeWeightsInTheFile) {
  ExecutionPlan plan;
  plan.weights = {{.name = "table", .type = {DType::f32, {Dim(1024), Dim(1024)}}, .as_is = true},
                  {.name = "norm", .type = {DType::f32, {Dim(1024)}}, .as_is = true},
                  {.name = "made", .type = {DType::f32, {Dim(1024), Dim(1024)}}, .converted_from = "f16", .as_is = true}};
  const ExecutionPlan* plans[] = {&plan};
  const std::vector<WeightForm> forms = weight_forms(plans);
  ASSERT_EQ(forms.size(), 3u);
  EXPECT_TRUE(forms[0].in_source);
  EXPECT_FALSE(forms[1].in_source);
  EXPECT_FALSE(forms[2].in_source);
}

}  // namespace
}  // namespace hyalite

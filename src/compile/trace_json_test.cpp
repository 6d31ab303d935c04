#include "compile/trace_json.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compile/artifact.h"
#include "compile/artifact_view.h"

namespace hyalite {
namespace {

TEST(TraceJson, CarriesTheContractsFields) {
  PassTrace measured{.name = "qkv-fusion", .changed = true, .nodes_before = 10, .nodes_after = 8, .ms = 0.5, .max_abs_error = 1e-6};
  measured.remarks.push_back({Remark::Kind::matched, "blk.0.attn", "three matmuls"});
  measured.changes.push_back({NodeChange::Kind::removed, "matmul", 3});
  Json json = traces_to_json({measured, PassTrace{.name = "dce"}});
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "qkv-fusion");
  EXPECT_EQ(json[0]["nodes_after"], 8);
  EXPECT_EQ(json[0]["max_abs_error"], 1e-6);
  EXPECT_EQ(json[0]["remarks"][0]["kind"], "matched");
  EXPECT_EQ(json[0]["changes"], Json::parse(R"([{"kind": "removed", "op": "matmul", "count": 3}])"));
  EXPECT_TRUE(json[1]["max_abs_error"].is_null());
}

TEST(ArtifactView, RefusesWhatIsNoArtifact) {
  EXPECT_FALSE(is_artifact("/"));
  EXPECT_THROW(ArtifactView("/"), Error);
}

TEST(PassNames, EndWithThePlanningPasses) {
  std::vector<std::string> names = pass_names();
  ASSERT_GE(names.size(), 12u);
  EXPECT_EQ(names.back(), "memory-planning");
  EXPECT_EQ(names[names.size() - 3], "kernel-selection");
}

}  // namespace
}  // namespace hyalite

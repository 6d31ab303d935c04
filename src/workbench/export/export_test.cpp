#include "workbench/export/export.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "compile/artifact.h"
#include "importers/testing/files.h"
#include "ir/parser.h"
#include "workbench/export/report.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

// The artifact of a tiny model with eight equal layers.
class Export : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    place_ = new testing::TemporaryDirectory();
    const fs::path root = place_->path();
    Json config = tiny_config("llama");
    config["num_hidden_layers"] = 8;
    write_tiny_model(root / "model", config, 1);
    CompileOptions options{.machine = restrict_isa(detect_machine(), IsaLevel::scalar), .isa = IsaLevel::scalar, .record_text = true};
    ThreadPool pool(1);
    write_artifact(compile(root / "model", options, pool), root / "artifact", pool);
  }
  static void TearDownTestSuite() { delete place_; }

  ArtifactView artifact_{fs::path(place_->path()) / "artifact"};
  static inline testing::TemporaryDirectory* place_ = nullptr;
};

TEST_F(Export, EveryFormatOfBothModes) {
  for (const std::string mode : {"prefill", "decode"})
    for (const std::string& format : export_formats())
      EXPECT_GT(export_artifact(artifact_, mode, format).size(), 1000u) << mode << ' ' << format;
}

TEST_F(Export, TextParsesBackToTheGraph) {
  std::string text = export_artifact(artifact_, "decode", "text");
  EXPECT_EQ(parse_module(text, "text").graphs.front(), artifact_.graph("decode"));
}

TEST_F(Export, JsonHoldsGraphScheduleAndMemory) {
  Json json = Json::parse(export_artifact(artifact_, "decode", "json"));
  EXPECT_EQ(json.at("mode"), "decode");
  EXPECT_EQ(json.at("graph"), graph_to_json(artifact_.graph("decode")));
  EXPECT_EQ(json.at("schedule"), to_json(artifact_.plan("decode")));
  EXPECT_EQ(json.at("memory"), memory_to_json(artifact_.plan("decode")));
}

TEST_F(Export, ReportLinksNodesToStepsAndFoldsLayers) {
  Json all = report(artifact_, "decode");
  const Json& nodes = all.at("graph").at("nodes");
  std::vector<int> nodes_of_step(all.at("steps").size());
  for (const Json& node : nodes) {
    int step = node.at("step");
    if (step < 0) continue;
    ++nodes_of_step.at(step);
    EXPECT_EQ(all["steps"][step].at("op"), node.at("op"));
    EXPECT_EQ(all["steps"][step].at("path"), node.at("path"));
  }
  for (int count : nodes_of_step) EXPECT_EQ(count, 1);
  bool folded = false;
  for (const Json& segment : all["graph"].at("segments")) folded = folded || segment.at("bodies").size() == 8;
  EXPECT_TRUE(folded);
  EXPECT_EQ(all.at("passes").size(), pass_names().size());
}

TEST_F(Export, RefusesWhatItDoesNotKnow) {
  for (auto [mode, format] : {std::pair{"decode", "pdf"}, std::pair{"train", "html"}}) {
    try {
      export_artifact(artifact_, mode, format);
      ADD_FAILURE() << mode << ' ' << format;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace hyalite

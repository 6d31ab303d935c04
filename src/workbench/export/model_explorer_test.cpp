#include "workbench/export/model_explorer.h"

#include <gtest/gtest.h>

#include <set>

#include "workbench/export/export_test_util.h"

namespace hyalite {
namespace {

const Json kSchedule =
    Json::parse(R"({"steps": [{"variant": "rms_norm.avx2", "reason": "first", "predicted_us": 1.5, "bytes": 64.0, "flops": 0.0,
                                       "outputs": [{"name": "blk0.norm"}, {"kind": "none"}]}]})");

TEST(ModelExplorer, IsACollectionWithConnectedNodes) {
  Graph graph = test_graph(stacked_layers({"add", "add"}));
  Json collection = to_model_explorer(graph, kSchedule, "tiny");
  EXPECT_EQ(collection.at("label"), "tiny");
  const Json& nodes = collection.at("graphs").at(0).at("nodes");
  EXPECT_EQ(nodes.size(), graph.order().size() + graph.inputs().size());
  std::set<std::string> ids;
  for (const Json& node : nodes) EXPECT_TRUE(ids.insert(node.at("id").get<std::string>()).second);
  size_t edges = 0;
  for (const Json& node : nodes)
    for (const Json& edge : node.at("incomingEdges")) {
      EXPECT_TRUE(ids.contains(edge.at("sourceNodeId").get<std::string>()));
      EXPECT_TRUE(edge.at("sourceNodeOutputId").is_string() && edge.at("targetNodeInputId").is_string());
      ++edges;
    }
  EXPECT_EQ(edges, 2u + 4 * 2 + 2);  // embed, a norm and a sum per layer, the last norm
}

TEST(ModelExplorer, LayersAreNamespacesAndStepsAttributes) {
  Json collection = to_model_explorer(test_graph(stacked_layers({"add"})), kSchedule, "tiny");
  bool found = false;
  for (const Json& node : collection["graphs"][0]["nodes"]) {
    if (node["label"] != "rms_norm" || node["namespace"] != "blk/0") continue;
    found = true;
    std::string attrs = node["attrs"].dump();
    for (const char* part : {"rms_norm.avx2", "first", "1.5", "eps", "blk.0.norm"}) EXPECT_NE(attrs.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(found);
}

TEST(ModelExplorer, HostilePathsOpenNoLevelsOfTheirOwn) {
  Graph graph = test_graph(stacked_layers({}));
  graph.node(graph.order()[0]).from.path = "a/b/../c.d.e";
  Json nodes = to_model_explorer(graph, Json{{"steps", Json::array()}}, "x")["graphs"][0]["nodes"];
  bool found = false;
  for (const Json& node : nodes) found = found || node["namespace"] == "a_b_/_c/d";
  EXPECT_TRUE(found) << nodes.dump(1);
}

}  // namespace
}  // namespace hyalite

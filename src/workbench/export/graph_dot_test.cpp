#include "workbench/export/graph_dot.h"

#include <gtest/gtest.h>

#include "workbench/export/export_test_util.h"

namespace hyalite {
namespace {

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++times;
  return times;
}

// Quotes outside of escapes come in pairs, and braces outside of strings close.
void expect_well_formed(const std::string& dot) {
  bool inside = false;
  int depth = 0;
  for (size_t i = 0; i < dot.size(); ++i) {
    if (inside && dot[i] == '\\') {
      ++i;
    } else if (dot[i] == '"') {
      inside = !inside;
    } else if (!inside && dot[i] == '{') {
      ++depth;
    } else if (!inside && dot[i] == '}') {
      EXPECT_GE(--depth, 0);
    }
  }
  EXPECT_FALSE(inside);
  EXPECT_EQ(depth, 0);
}

TEST(GraphDot, DrawsEqualLayersOnce) {
  std::string dot = to_dot(test_graph(stacked_layers(std::vector<std::string>(80, "add"))));
  expect_well_formed(dot);
  EXPECT_NE(dot.find("layers 0-79 × 80"), std::string::npos) << dot;
  EXPECT_EQ(count(dot, "subgraph cluster_"), 1u);
  EXPECT_EQ(count(dot, "rms_norm"), 2u);  // the layer's and the last
  EXPECT_NE(dot.find("blk.*.norm"), std::string::npos);
  EXPECT_EQ(count(dot, "style=dashed"), 2u) << "the layer's result goes to the next layer's norm and sum";
}

TEST(GraphDot, KeepsASingleLayersOwnNames) {
  std::string dot = to_dot(test_graph(stacked_layers({"add"})));
  EXPECT_NE(dot.find("\"layer 0\""), std::string::npos);
  EXPECT_NE(dot.find("blk.0.norm"), std::string::npos);
  EXPECT_EQ(dot.find("dashed"), std::string::npos);
}

TEST(GraphDot, EscapesHostileNames) {
  Graph graph = test_graph(stacked_layers({"add"}));
  graph.rename(graph.inputs()[0], "a\"]; evil [label=\"\\");
  for (NodeId id : graph.order()) graph.node(id).from.path = "x\"\n\\\x01{";
  std::string dot = to_dot(graph);
  expect_well_formed(dot);
  EXPECT_EQ(dot.find("\"]; evil"), dot.find("\\\"]; evil") + 1);
  EXPECT_EQ(dot.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace hyalite

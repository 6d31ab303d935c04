#include "workbench/export/layers.h"

#include <gtest/gtest.h>

#include "workbench/export/export_test_util.h"

namespace hyalite {
namespace {

TEST(Layers, ReadFromPaths) {
  EXPECT_EQ(layer_of("blk.3.attn.q"), 3);
  EXPECT_EQ(layer_of("blk.12"), 12);
  for (const char* path : {"", "blk.", "blk.x", "blk.3x.attn", "output_norm", "xblk.3.q", "blk.99999999999999999999.q"})
    EXPECT_EQ(layer_of(path), -1) << path;
  EXPECT_EQ(path_in_any_layer("blk.3.attn.q"), "blk.*.attn.q");
  EXPECT_EQ(path_in_any_layer("output"), "output");
}

TEST(Layers, EqualLayersFoldIntoOneSegment) {
  Graph graph = test_graph(stacked_layers({"add", "add", "add", "add"}));
  std::vector<Segment> segments = fold_layers(graph);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].first_layer, -1);
  EXPECT_EQ(segments[1].first_layer, 0);
  EXPECT_EQ(segments[1].last_layer, 3);
  EXPECT_EQ(segments[1].bodies.size(), 4u);
  EXPECT_EQ(segments[1].layers_per_body, 1);
  size_t nodes = 0;
  for (const Segment& segment : segments)
    for (const auto& body : segment.bodies) nodes += body.size();
  EXPECT_EQ(nodes, graph.order().size());
}

TEST(Layers, KindsThatTakeTurnsFoldAsAPeriod) {
  std::vector<Segment> segments = fold_layers(test_graph(stacked_layers({"add", "add", "mul", "add", "add", "mul"})));
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1].layers_per_body, 3);
  EXPECT_EQ(segments[1].bodies.size(), 2u);
  EXPECT_EQ(segments[1].last_layer, 5);
}

TEST(Layers, ADifferentLayerStandsAlone) {
  std::vector<Segment> segments = fold_layers(test_graph(stacked_layers({"mul", "add", "add", "add"})));
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[1].bodies.size(), 1u);
  EXPECT_EQ(segments[2].first_layer, 1);
  EXPECT_EQ(segments[2].bodies.size(), 3u);
}

TEST(Layers, EmptyGraphIsOneEmptySegment) {
  EXPECT_EQ(fold_layers(Graph("decode")).size(), 1u);
}

}  // namespace
}  // namespace hyalite

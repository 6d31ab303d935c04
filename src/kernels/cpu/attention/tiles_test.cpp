#include "kernels/cpu/attention/tiles.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace hyalite {
namespace {

// Tokens of three sequences: five in a row, a lone one, and two that do not follow each other.
struct Step {
  std::vector<int32_t> positions{10, 11, 12, 13, 14, 255, 3, 9}, sequence_of{0, 0, 0, 0, 0, 1, 2, 2};
  BatchView view() const { return {.tokens = 8, .sequences = 3, .positions = positions.data(), .sequence_of = sequence_of.data()}; }
};

AttentionParams heads_of(int32_t heads, int32_t kv_heads) {
  return {.heads = heads, .kv_heads = kv_heads, .head_dim = 64, .scale = 1, .window = 0};
}

TEST(TileWalk, CoversEveryTokenAndHeadOnce) {
  const Step step;
  const BatchView batch = step.view();
  for (const auto& [heads, kv_heads] : std::vector<std::pair<int, int>>{{9, 3}, {4, 4}, {30, 2}, {1, 1}, {13, 1}}) {
    std::map<std::pair<int, int>, int> seen;
    for (TileWalk walk(batch, heads_of(heads, kv_heads), kTileRows); walk.next();) {
      const AttentionTile& tile = walk.tile();
      EXPECT_LE(tile.tokens * tile.heads, kTileRows);
      EXPECT_EQ(tile.head / (heads / kv_heads), tile.kv_head);
      EXPECT_EQ((tile.head + tile.heads - 1) / (heads / kv_heads), tile.kv_head);
      for (int t = 0; t < tile.tokens; ++t) {
        EXPECT_EQ(batch.positions[tile.token + t], batch.positions[tile.token] + t);
        for (int h = 0; h < tile.heads; ++h) ++seen[{tile.token + t, tile.head + h}];
      }
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(8 * heads));
    for (const auto& [place, count] : seen) EXPECT_EQ(count, 1) << place.first << ", " << place.second;
  }
}

TEST(TileWalk, TilesGrowWithWhatTheirTokensSee) {
  std::vector<int32_t> positions(200), sequence_of(200);
  for (const auto& [start, rows] : std::vector<std::pair<int, int>>{{0, 12}, {256, 48}, {1024, 96}}) {
    for (int i = 0; i < 200; ++i) positions[static_cast<size_t>(i)] = start + i;
    const BatchView batch{.tokens = 200, .sequences = 1, .positions = positions.data(), .sequence_of = sequence_of.data()};
    TileWalk walk(batch, heads_of(9, 3), kTileRows);
    ASSERT_TRUE(walk.next());
    EXPECT_EQ(walk.tile().tokens * walk.tile().heads, rows) << start;
  }
}

TEST(TileWalk, TilesStaySmallWhereAWindowLeavesLittleToShare) {
  std::vector<int32_t> positions(200), sequence_of(200);
  for (int i = 0; i < 200; ++i) positions[static_cast<size_t>(i)] = 5000 + i;
  const BatchView batch{.tokens = 200, .sequences = 1, .positions = positions.data(), .sequence_of = sequence_of.data()};
  for (const auto& [window, rows] : std::vector<std::pair<int, int>>{{8, 12}, {256, 12}, {400, 48}, {512, 96}}) {
    AttentionParams params = heads_of(9, 3);
    params.window = window;
    TileWalk walk(batch, params, kTileRows);
    ASSERT_TRUE(walk.next());
    EXPECT_EQ(walk.tile().tokens * walk.tile().heads, rows) << window;
  }
}

TEST(TileWalk, ShortPrefillsAtDepthMakeTilesForAllThreads) {
  std::vector<int32_t> positions(2048), sequence_of(2048);
  for (int i = 0; i < 2048; ++i) positions[static_cast<size_t>(i)] = 1024 + i;
  BatchView batch{.tokens = 32, .sequences = 1, .positions = positions.data(), .sequence_of = sequence_of.data()};
  EXPECT_GE(token_limit_for(batch, heads_of(9, 3), 1), 32) << "three tiles of 96 rows";
  EXPECT_EQ(token_limit_for(batch, heads_of(9, 3), 2), 16) << "six of 48";
  EXPECT_EQ(token_limit_for(batch, heads_of(9, 3), 8), 4) << "24 of 12";
  EXPECT_EQ(token_limit_for(batch, heads_of(9, 3), 96), 1) << "as many as there are";
  batch.tokens = 2048;
  EXPECT_GE(token_limit_for(batch, heads_of(9, 3), 64), 32) << "192 of 96";
}

TEST(TileWalk, KeepsToTheTokenLimitAndEmptySteps) {
  const Step step;
  const BatchView batch = step.view();
  int tiles = 0;
  for (TileWalk walk(batch, heads_of(2, 1), 1); walk.next(); ++tiles) EXPECT_EQ(walk.tile().tokens, 1);
  EXPECT_EQ(tiles, 8);
  const BatchView empty;
  TileWalk nothing(empty, heads_of(2, 1), 1);
  EXPECT_FALSE(nothing.next());
}

TEST(Tiles, EachItemHasOneOwnerAndLoadsAreEven) {
  for (const int threads : {1, 2, 3, 5}) {
    std::vector<int64_t> load(static_cast<size_t>(threads));
    for (int64_t item = 0; item < 60; ++item) {
      int owners = 0;
      for (int thread = 0; thread < threads; ++thread) {
        if (!is_mine(item, {thread, threads, 0})) continue;
        ++owners;
        load[static_cast<size_t>(thread)] += item;  // an item as heavy as its place in the list
      }
      EXPECT_EQ(owners, 1);
    }
    for (const int64_t each : load) EXPECT_EQ(each, load[0]);
  }
}

TEST(Tiles, DecodeSplitsOnlyWhileTilesAreFew) {
  EXPECT_TRUE(decode_splits(heads_of(9, 3), 1, 2));
  EXPECT_FALSE(decode_splits(heads_of(9, 3), 1, 1));
  EXPECT_FALSE(decode_splits(heads_of(9, 3), 43, 2)) << "129 tiles keep the threads busy";
  EXPECT_EQ(tiles_per_token(heads_of(32, 2)), 4) << "16 heads a group make two tiles";
}

TEST(Tiles, ChunksLieAtAbsolutePositions) {
  AttentionParams params = heads_of(1, 1);
  EXPECT_EQ(chunks_seen(params, 255).count(), 1);
  EXPECT_EQ(chunks_seen(params, 256).count(), 2);
  params.window = 10;
  EXPECT_EQ(chunks_seen(params, 256).first, 0) << "247 to 256";
  EXPECT_EQ(chunks_seen(params, 265).first, 1);
}

}  // namespace
}  // namespace hyalite

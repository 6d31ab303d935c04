// How attention cuts a step into work. The cuts never change a result: every query row attends to its own positions in chunks that are
// fixed by absolute position, and merges them in order.
#pragma once

#include <bit>
#include <cstdint>

#include "ops/attention.h"
#include "ops/batch.h"
#include "ops/op_spec.h"

namespace hyalite {

inline constexpr int kChunkPositions = 256;  // positions [256 c, 256 c + 256) are summed on their own, then merged
inline constexpr int kTileHeads = 12;        // most query heads of a tile
// Query rows that share the reading of keys and values: tiles grow from few to most. With 12, 48 and 96 rows attention over 2,048 tokens of
// SmolLM2 took 9% less time than with 12 everywhere (Emerald Rapids).
inline constexpr int kFewRows = kTileHeads, kManyRows = 48, kTileRows = 96;
inline constexpr int kMaxAttentionHeadDim = 512;

// Rows of one tile: `heads` query heads of one kv head for each of `tokens` consecutive tokens of one sequence.
struct AttentionTile {
  int32_t token = 0, tokens = 0;
  int32_t head = 0, heads = 0;  // query heads [head, head + heads)
  int32_t kv_head = 0;
};

// Consecutive tokens from `token` on that belong to one sequence, follow each other in position and are at most `limit`.
inline int32_t run_length(const BatchView& batch, int32_t token, int32_t limit) {
  int32_t n = 1;
  while (n < limit && token + n < batch.tokens && batch.sequence_of[token + n] == batch.sequence_of[token] &&
         batch.positions[token + n] == batch.positions[token] + n) {
    ++n;
  }
  return n;
}

// Rows of a tile whose first token, at `position`, shares so much with those behind it. The more rows, the less often keys and values are
// read; but scores are computed for what any row sees, and what only some rows see is read for each token anew.
inline int32_t tile_rows_at(const AttentionParams& params, int64_t position) {
  const int64_t before = position - first_visible(params, position);  // positions; a window of 512 has nearly as many
  return before < kChunkPositions ? kFewRows : before < 7 * kChunkPositions / 4 ? kManyRows : kTileRows;
}

// Work item `item` belongs to one thread; the order of threads turns round after each lap, which evens out items that grow (a later token
// sees more positions).
inline bool is_mine(int64_t item, const WorkRange& range) {
  const int64_t lap = item / range.count, place = item % range.count;
  return (lap % 2 == 0 ? place : range.count - 1 - place) == range.index;
}

// All tiles of a step in one order for every thread: kv heads, then parts of a group of heads, then tokens; so what many tokens of a
// sequence see of one head stays in the caches.
class TileWalk {
 public:
  // `token_limit`: tokens per tile at most.
  TileWalk(const BatchView& batch, const AttentionParams& params, int32_t token_limit)
      : batch_(batch), params_(params), group_(params.heads / params.kv_heads), token_limit_(token_limit) {
    head_parts_ = (group_ + kTileHeads - 1) / kTileHeads;
    parts_ = batch.tokens > 0 ? params.kv_heads * head_parts_ : 0;
  }

  // Goes to the next tile; false at the end.
  bool next() {
    tile_.token += tile_.tokens;
    if (part_ < 0 || tile_.token >= batch_.tokens) {
      if (++part_ >= parts_) return false;
      place_heads();
      tile_.token = 0;
    }
    const int32_t fit = tile_rows_at(params_, batch_.positions[tile_.token]) / tile_.heads;
    tile_.tokens = run_length(batch_, tile_.token, fit < token_limit_ ? fit : token_limit_);
    return true;
  }
  const AttentionTile& tile() const { return tile_; }

 private:
  void place_heads() {
    tile_.kv_head = part_ / head_parts_;
    const int32_t first = part_ % head_parts_ * kTileHeads, left = group_ - first;
    tile_.head = tile_.kv_head * group_ + first;
    tile_.heads = left < kTileHeads ? left : kTileHeads;
  }

  const BatchView& batch_;
  AttentionParams params_;
  int32_t group_, token_limit_, head_parts_ = 1, parts_ = 0, part_ = -1;
  AttentionTile tile_;
};

// The most tokens of a tile that still leave two tiles or more for each thread, if any number does: a power of two, since with the usual
// groups of heads it cuts large tiles into equal ones.
inline int32_t token_limit_for(const BatchView& batch, const AttentionParams& params, int threads) {
  const auto keeps_busy = [&](int32_t limit) {
    int tiles = 0;
    for (TileWalk walk(batch, params, limit); tiles < 2 * threads && walk.next();) ++tiles;
    return tiles == 2 * threads;
  };
  int32_t limit = std::bit_ceil(uint32_t{kTileRows});
  while (threads > 1 && limit > 1 && !keeps_busy(limit)) limit /= 2;
  return limit;
}

// A partial result of one row: head_dim sums (padded to 16), then the largest score and the sum of weights. A sum of 0 says that the row
// saw no position.
inline int64_t partial_floats(int64_t head_dim) {
  return (head_dim + 15) / 16 * 16 + 16;
}

// Decode splits a row's chunks over threads while a step has fewer tiles than this. A constant, so that the workspace of a plan does not
// depend on how many threads run it.
inline constexpr int kSplitTiles = 128;

inline int64_t tiles_per_token(const AttentionParams& params) {
  const int64_t group = params.heads / params.kv_heads;
  return params.kv_heads * ((group + kTileHeads - 1) / kTileHeads);
}
inline bool decode_splits(const AttentionParams& params, int64_t tokens, int threads) {
  return threads > 1 && tokens * tiles_per_token(params) < kSplitTiles;
}

// Chunks that the token at `position` touches: [first, last].
struct ChunkSpan {
  int64_t first = 0, last = 0;
  int64_t count() const { return last - first + 1; }
};
inline ChunkSpan chunks_seen(const AttentionParams& params, int64_t position) {
  return {first_visible(params, position) / kChunkPositions, position / kChunkPositions};
}

}  // namespace hyalite

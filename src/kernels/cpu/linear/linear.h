// What the linear kernels of all instruction sets share: how prepared activations lie in the workspace.
//
// A linear step first prepares its input for multiplication (phase 0), once for all its weights, then threads share the groups of 16 weight
// rows (phase 1). Tokens go in tiles of at most kTile of the target; the width of a tile changes the speed of its rows, never their values.
#pragma once

#include <cstdint>
#include <iterator>

#include "kernels/cpu/attention/tiles.h"
#include "kernels/cpu/linear/row_format.h"
#include "kernels/kernel_variant.h"
#include "ops/params.h"
#include "tensor/half.h"

namespace hyalite {

// int8 activations: for each 32 columns of a tile of m tokens one record of m * kRecordBytes:
//   int8 q[m][32] | float scale[m] | float scaled_sum[m] | int32 minus_sum[m] | int32 minus_half_sum[2][m]
// x is about scale * q; scaled_sum is scale times the sum of the q; minus_sum is that sum times -8, minus_half_sum those of columns 0-15
// and 16-31 times -32: what the smallest offsets of codes with one and with two scales for 32 columns ask for.
inline constexpr int kRecordBytes = 52, kSumFactor = 8, kHalfSumFactor = 32;

constexpr int log2_of(int power) {
  return power <= 1 ? 0 : 1 + log2_of(power / 2);
}

// Tiles of dense activations: f32 [column][m], or pairs of bf16 [column / 2][m] (bf16_rows.inc), which take half the room set aside.

// Groups of 16 rows of packed weights, all columns, times a tile of m tokens; out[group][m][16].
using TileFunction = void (*)(const uint8_t* const* groups, int64_t columns, const uint8_t* activations, float* out);
// The most is kTileUnitRows where a tile unit multiplies such tiles (amx_rows.inc).
inline constexpr int kTileUnitRows = 16;
inline constexpr int kTileWidths[] = {1, 2, 4, 8, 12, 16};
struct TileSet {
  TileFunction tile[std::size(kTileWidths)];  // by width; nullptr beyond kTile
};
constexpr int tile_index(int64_t width) {
  return width == 16 ? 5 : width == 12 ? 4 : width == 8 ? 3 : width == 4 ? 2 : static_cast<int>(width) - 1;
}
// Width of the next tile where `left` tokens are left, at most `most`, without 12 where 16 is the most. Where 12 is, 16 to 19 go as 8 and
// 8, not as 12 and a narrow one.
constexpr int tile_width(int64_t left, int most) {
  if (left >= most + 8) return most;  // nearly always
  if (most == 12 && left >= 16) return 8;
  int width = 1;
  for (int wider : kTileWidths)
    if (wider <= left && wider <= most && (wider != 12 || most == 12)) width = wider;
  return width;
}
// The end of the tile that has the token `step` - 1 of those from `first` on, in a cut of `tokens` tokens with a tile that begins at
// `first`.
constexpr int64_t end_of_tiles(int64_t first, int64_t step, int64_t tokens, int most) {
  int64_t past = first;
  while (past < tokens && past - first < step) past += tile_width(tokens - past, most);
  return past;
}
// Lines of memory to ask for while other work is done.
struct Ahead {
  const uint8_t *at, *end;
};

// Weights unpacked for many tokens (unpacked_rows.inc), a chunk of columns at a time; empty for formats that are multiplied as they are.
inline constexpr int64_t kChunkColumns = 256, kChunkBytes = kChunkColumns / kBlockColumns * 704;
struct ChunkKernel {
  // Columns [first, past) of a group, at most kChunkColumns. Returns what will be wanted soon.
  Ahead (*unpack)(const uint8_t* group, int64_t columns, int64_t first, int64_t past, uint8_t* chunk);
  // Adds the products of a chunk and of the records of a tile of m tokens to sums[m][16]; those of the next tile begin `next` bytes further
  // on. Asks for `lines` lines ahead in each block of 32 columns.
  using Multiply = void (*)(const uint8_t* chunk, int64_t blocks, const uint8_t* records, int64_t next, Ahead& ahead, int lines,
                            float* sums);
  Multiply multiply[std::size(kTileWidths)];  // by width, from kLeastUnpacked on
};
struct RowKernel {
  TileSet one, two;  // of a group; of two groups that lie anywhere, where a target has that, for tiles of 4
  ChunkKernel chunk = {};
};

// Where things lie in the workspace of a linear step. A function of sizes only, so that planner and kernel agree.
struct LinearScratch {
  int64_t q8_at = 0, dense_at = 0, angles_at = 0, bytes = 0;
};
constexpr LinearScratch linear_scratch(int64_t tokens, int64_t columns, bool q8, bool dense, int64_t angles) {
  auto padded = [](int64_t bytes) { return (bytes + 63) / 64 * 64; };
  LinearScratch at;
  at.dense_at = q8 ? padded(tokens * (columns / kBlockColumns) * kRecordBytes) : 0;
  at.angles_at = at.dense_at + (dense ? padded(tokens * columns * 4) : 0);
  at.bytes = at.angles_at + padded(tokens * angles * 8);
  return at;
}

// The same of fused_rmsnorm_qkv_rope_append: k and v lie behind the rest until they are in the cache.
struct AppendScratch {
  int64_t k_at, v_at, bytes;
};
constexpr AppendScratch append_scratch(const LinearScratch& linear, int64_t tokens, int64_t kv_rows) {
  const int64_t bytes = (tokens * kv_rows * 4 + 63) / 64 * 64;
  return {linear.bytes, linear.bytes + bytes, linear.bytes + 2 * bytes};
}

// The same of lm_head, whose activations have two planes: up to kMostScreenedRows rows can be screened, for which the workspace has what is
// known of each group of weight rows, and of several rows the first plane by itself.
inline constexpr int64_t kMostScreenedRows = 64, kScreenedBytes = 8;
struct LmHeadScratch {
  int64_t first_at, screened_at, bytes;
};
constexpr LmHeadScratch lm_head_scratch(int64_t tokens, int64_t columns, int64_t groups) {
  const int64_t first_at = linear_scratch(2 * tokens, columns, true, false, 0).bytes;
  if (tokens > kMostScreenedRows) return {first_at, first_at, first_at};
  const int64_t screened_at = first_at + (tokens > 1 ? linear_scratch(tokens, columns, true, false, 0).bytes : 0);
  return {first_at, screened_at, screened_at + groups * tokens * kScreenedBytes};
}

// Tokens of int8 activations that stay in the second-level cache while the weights of a thread stream by, rounded up to whole tiles.
inline constexpr int64_t kActivationBytes = 384 << 10;
constexpr int64_t tokens_at_once(int64_t columns) {
  const int64_t fitting = kActivationBytes / (columns * 2);
  return fitting < 1 ? 1 : fitting;
}

// Fewer tokens than this read each group once, which one stream does best.
inline constexpr int64_t kPairTokens = 4;
// Fewer tokens than this are multiplied sooner than weights are unpacked for them.
inline constexpr int64_t kUnpackTokens = 8;
// Tokens, rounded up to whole tiles, that unpacked weights are multiplied by before the next ones: their sums stay in the first-level
// cache.
inline constexpr int64_t kUnpackedTokens = 128;

// Codes of a byte each are multiplied as they lie.
constexpr bool has_small_codes(const RowFormat& format) {
  return format.bits < 8;
}

// The tile unit multiplies 32 columns with one scale; with two for them it would work at a quarter of its rate.
constexpr bool fits_tile_unit(const RowFormat& format) {
  return format.scale_run == kBlockColumns;
}

// The formats that are multiplied in int8.
constexpr bool multiplies_int8(DType dtype) {
  return dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16;
}

// Columns of cosines (and as many of sines) of one token; interleaved pairs need each twice.
constexpr int64_t angle_columns(int64_t pairs) {
  return 2 * pairs;
}

// Operands of the linear ops.
enum FusedQkvOperand { kQkvX, kQkvWeights, kQkvBiases = 4 };
// With or without append.
enum RmsNormQkvRopeOperand { kNormedX, kNormedNorm, kNormedWeights, kNormedBiases = 5, kNormedHeadNorms = 8, kNormedFreqs = 10 };

}  // namespace hyalite

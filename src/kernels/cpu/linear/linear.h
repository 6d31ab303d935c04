// What the linear kernels of all instruction sets share: how prepared activations lie in the workspace.
//
// A linear step first prepares its input for multiplication (phase 0), once for all its weights, then threads share the groups of 16 weight
// rows (phase 1). Tokens go in tiles of at most kTile of the target; the width of a tile changes the speed of its rows, never their values.
#pragma once

#include <cstdint>

#include "kernels/cpu/linear/row_format.h"
#include "kernels/kernel_variant.h"
#include "ops/params.h"
#include "tensor/half.h"

namespace hyalite {

// int8 activations: for each 32 columns of a tile of m tokens one record of m * kRecordBytes:
//   int8 q[m][32] | float scale[m] | float scaled_sum[m] | int32 minus_sum[m] | int32 minus_half_sum[m][2]
// x is about scale * q; sum is that of the q, half_sum those of columns 0-15 and 16-31; scaled_sum = scale * sum.
inline constexpr int kRecordBytes = 52;

// Tiles of dense activations: f32 [column][m], or pairs of bf16 [column / 2][m] (bf16_rows.inc), which take half the room set aside.

// Groups of 16 rows of packed weights, all columns, times a tile of m tokens; out[group][m][16].
using TileFunction = void (*)(const uint8_t* const* groups, int64_t columns, const uint8_t* activations, float* out);
struct TileSet {
  TileFunction tile[4];  // m = 1, 2, 4, 8
};
// Lines of memory to ask for while other work is done.
struct Ahead {
  const uint8_t *at, *end;
};

// Weights unpacked for many tokens (unpacked_rows.inc), a chunk of columns at a time; empty for formats that are multiplied as they are.
inline constexpr int64_t kChunkColumns = 256, kChunkBytes = kChunkColumns / kBlockColumns * 704;
struct ChunkKernel {
  // Columns [first, past) of a group, at most kChunkColumns. Returns what will be wanted soon.
  Ahead (*unpack)(const uint8_t* group, int64_t columns, int64_t first, int64_t past, uint8_t* chunk);
  // Adds the products of a chunk and of a tile's records to sums[kTile][16]; those of the next tile begin `next` bytes further on. Asks for
  // `lines` lines ahead in each block of 32 columns.
  using Multiply = void (*)(const uint8_t* const* chunks, int64_t blocks, const uint8_t* records, int64_t next, Ahead* ahead, int lines,
                            float* sums);
  Multiply one, two;  // two: of two groups, where a target has that: sums[2][kTile][16]
};
struct RowKernel {
  TileSet one, two;  // of a group; of two groups that lie anywhere, where a target has that
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

// Tokens of int8 activations that stay in the second-level cache while the weights of a thread stream by: whole tiles, at least one.
inline constexpr int64_t kActivationBytes = 384 << 10;
constexpr int64_t tokens_at_once(int64_t columns, int tile) {
  const int64_t fitting = kActivationBytes / (columns * 2) / tile * tile;
  return fitting < tile ? tile : fitting;
}

// Fewer tokens than this read each group once, which one stream does best.
inline constexpr int64_t kPairTokens = 4;
// Fewer tokens than this are multiplied sooner than weights are unpacked for them.
inline constexpr int64_t kUnpackTokens = 8;
// Most tokens that unpacked weights are multiplied by before the next ones: their sums stay in the first-level cache.
inline constexpr int64_t kUnpackedTokens = 128;

// Codes of a byte each are multiplied as they lie.
constexpr bool has_small_codes(const RowFormat& format) {
  return format.bits < 8;
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
enum RmsNormQkvRopeOperand { kNormedX, kNormedNorm, kNormedWeights, kNormedBiases = 5, kNormedHeadNorms = 8, kNormedFreqs = 10 };

}  // namespace hyalite

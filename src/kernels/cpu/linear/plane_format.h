// planes16.<format>: how the vocabulary's head is packed so that a step which wants only the largest logit reads a coarse copy of most
// rows.
//
// The codes of rows16 groups (row_format.h) are cut in two: the high bits h make the coarse plane, the `fine_bits` low bits the fine one. A
// value is scale * (code - offset); taken at the middle of what the low bits may add, it is about scale * 2^(fine_bits - 1) * (2h - odd).
// A matrix is three runs, each group after group:
//
//   bounds   float slack[16], float size[16]
//   coarse   scales, as in rows16, then the codes of 32 columns after 32 columns, as rows16 keeps codes of 4 or 5 bits
//   fine     32 columns after 32 columns: two vectors; byte 4r + i of vector h has the two low bits of columns 16h + 4j + i in bits 2j and
//            2j + 1; for three bits another vector whose byte 4r + i has the third bit of columns 4j + i in bit j
//
// For x in two planes, the logit of row r lies within slack[r] * |x| + size[r] * |x - x1| of the product of its coarse values with the
// first plane x1, |x| being the Euclidean norm: slack is the norm of what the coarse values leave of the row, size that of the coarse
// values (Cauchy and Schwarz on both), rounding of both sums included. Rows that pad a group have a slack that no logit reaches from below.
#pragma once

#include "kernels/cpu/linear/row_format.h"

namespace hyalite {

struct PlaneFormat {
  RowFormat row;  // what the planes make together
  int fine_bits;

  constexpr int coarse_bits() const { return row.bits - fine_bits; }
  constexpr int half() const { return 1 << (fine_bits - 1); }
  constexpr int odd() const { return row.offset / half() - 1; }
  // Bytes of one group in each run.
  static constexpr int64_t bounds_bytes() { return 128; }
  constexpr int64_t coarse_bytes(int64_t columns) const { return row.codes_at(columns) + columns / kBlockColumns * coarse_bits() * 64; }
  constexpr int64_t fine_bytes(int64_t columns) const { return columns / kBlockColumns * fine_bits * 64; }
  constexpr int64_t group_bytes(int64_t columns) const { return bounds_bytes() + coarse_bytes(columns) + fine_bytes(columns); }
};

inline constexpr PlaneFormat kPlanesQ8_0{kRowQ8_0, 3}, kPlanesQ6_K{kRowQ6_K, 2};

// Where one group lies. Byte is uint8_t or const uint8_t.
template <class Byte>
struct PlaneGroup {
  Byte *bounds, *scales, *coarse, *fine;
};
template <PlaneFormat format, class Byte>
constexpr PlaneGroup<Byte> plane_group(Byte* packed, int64_t groups, int64_t columns, int64_t g) {
  Byte* coarse_run = packed + groups * format.bounds_bytes();
  Byte* scales = coarse_run + g * format.coarse_bytes(columns);
  Byte* fine_run = coarse_run + groups * format.coarse_bytes(columns);
  return {packed + g * format.bounds_bytes(), scales, scales + format.row.codes_at(columns), fine_run + g * format.fine_bytes(columns)};
}

inline constexpr int64_t kMostPlaneBytes = int64_t{256} << 10;  // of a group that kernels put together again, on the stack

}  // namespace hyalite

// rows16.<format>: how a weight [rows, columns] is packed for the linear kernels, the same for every instruction set.
//
// Rows go in groups of 16, the last one padded with zero rows; a group is one contiguous run of group_bytes(), so that a thread streams
// through its groups. Lane r of a vector is row r of the group.
//
//   dense    [column][16] elements
//   bf16     [column / 2][16] words with two columns each, the even one in the upper half, zero for a column beyond the last: the order in
//            which dot products of pairs add, so that one order of columns serves them and fmas
//   blocks   scales of the whole group, padded to 64 bytes, then for each 32 columns the codes:
//     4 bits   4 vectors of 64 bytes; byte 4r + i of vector j holds columns 4j + i (low nibble) and 16 + 4j + i (high nibble) of row r
//     5 bits   the same, then one vector whose byte 4r + i has the fifth bit of columns 4j + i in bit j
//     6 bits   the same, then two vectors; byte 4r + i of vector h has bits 4 and 5 of columns 16h + 4j + i in bits 2j and 2j + 1
//     8 bits   8 vectors; byte 4r + i of vector j is column 4j + i of row r
//   scales, formats with blocks of 32: for each block half d[16], then half min[16] where the format has minima
//   scales, formats with blocks of 256: for each block half d[16], half dmin[16] where it has minima, then bytes scale[run][16] and
//                                       min[run][16] for each run of scale_run columns
// A value is scale * (code - offset), + min where there are minima (- dmin * min in blocks of 256), as FormatSpec::decode computes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace hyalite {

inline constexpr int kGroupRows = 16;
inline constexpr int kBlockColumns = 32;

struct RowFormat {
  DType dtype;
  int bits;        // of a code, or of a dense element
  int offset = 0;  // subtracted from a code
  bool has_min = false;
  int block = 1;       // columns a file block spans: 1 (dense), 32 or 256
  int scale_run = 32;  // columns that share a scale

  constexpr bool dense() const { return block == 1; }
  constexpr bool super() const { return block == 256; }
  constexpr int runs() const { return block / scale_run; }
  constexpr int halves() const { return has_min ? 2 : 1; }
  constexpr int64_t code_bytes() const { return bits * 64; }  // of 32 columns
  // Scales of one file block of 16 rows.
  constexpr int64_t scale_bytes() const { return halves() * (32 + (super() ? runs() * 16 : 0)); }
  constexpr int64_t codes_at(int64_t columns) const { return dense() ? 0 : (columns / block * scale_bytes() + 63) / 64 * 64; }
  constexpr int64_t group_bytes(int64_t columns) const {
    if (dense()) return (columns * kGroupRows * bits / 8 + 63) / 64 * 64;  // a whole number of pairs of bf16
    return codes_at(columns) + columns / kBlockColumns * code_bytes();
  }
};

inline constexpr RowFormat kRowF32{DType::f32, 32}, kRowF16{DType::f16, 16}, kRowBf16{DType::bf16, 16};
inline constexpr RowFormat kRowQ4_0{DType::q4_0, 4, 8, false, 32}, kRowQ4_1{DType::q4_1, 4, 0, true, 32};
inline constexpr RowFormat kRowQ5_0{DType::q5_0, 5, 16, false, 32}, kRowQ5_1{DType::q5_1, 5, 0, true, 32};
inline constexpr RowFormat kRowQ8_0{DType::q8_0, 8, 128, false, 32};
inline constexpr RowFormat kRowQ4_K{DType::q4_k, 4, 0, true, 256}, kRowQ5_K{DType::q5_k, 5, 0, true, 256};
inline constexpr RowFormat kRowQ6_K{DType::q6_k, 6, 32, false, 256, 16};

// nullptr for a format without a packed layout.
constexpr const RowFormat* row_format_of(DType dtype) {
  constexpr const RowFormat* formats[] = {&kRowF32,  &kRowF16,  &kRowBf16, &kRowQ4_0, &kRowQ4_1, &kRowQ5_0,
                                          &kRowQ5_1, &kRowQ8_0, &kRowQ4_K, &kRowQ5_K, &kRowQ6_K};
  for (const RowFormat* format : formats)
    if (format->dtype == dtype) return format;
  return nullptr;
}

constexpr int64_t groups_of(int64_t rows) {
  return (rows + kGroupRows - 1) / kGroupRows;
}

}  // namespace hyalite

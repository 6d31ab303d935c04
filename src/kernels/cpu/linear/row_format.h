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
//   A format with a code book keeps its 4 bits, which stand for the codes of the book.
//   scales, formats with blocks of 32: for each block half d[16], then half min[16] where the format has minima; powers of two are a byte
//                                      each, e8m0[16]
//   scales, formats with blocks of 256: for each block half d[16], half dmin[16] where it has minima, then bytes scale[run][16] and
//                                       min[run][16] for each run of scale_run columns
//   scales, affine formats: for each block half d[16], then bytes zero[16]; with one block for a whole row float d[16], then bytes zero[16]
// A value is scale * (code - offset), + min where there are minima (- dmin * min in blocks of 256), or scale * (code - zero), as
// FormatSpec::decode computes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace hyalite {

inline constexpr int kGroupRows = 16;
inline constexpr int kBlockColumns = 32;

// What 4 stored bits stand for where they are no number themselves.
enum class CodeBook : uint8_t { none, iq4, fp4 };
// Codes of the books; less RowFormat::offset they are the values.
inline constexpr uint8_t kIq4Codes[16] = {1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241};
inline constexpr uint8_t kFp4Codes[16] = {16, 17, 18, 19, 20, 22, 24, 28, 16, 15, 14, 13, 12, 10, 8, 4};
constexpr const uint8_t* codes_of(CodeBook book) {
  return book == CodeBook::iq4 ? kIq4Codes : kFp4Codes;
}

struct RowFormat {
  DType dtype;
  int bits;        // of a code as it is stored, or of a dense element
  int offset = 0;  // subtracted from a code
  bool has_min = false;
  int block = 1;       // columns a file block spans: 1 (dense), 32, 64, 128 or 256
  int scale_run = 32;  // columns that share a scale
  CodeBook book = CodeBook::none;
  bool power_scale = false;  // scales are powers of two, e8m0
  bool affine = false;       // a zero point to each scale
  bool whole_row = false;    // one scale for all columns of a row; `block` is what the code counts in

  constexpr bool dense() const { return block == 1; }
  constexpr bool super() const { return block == 256; }
  constexpr int runs() const { return block / scale_run; }
  constexpr int halves() const { return has_min ? 2 : 1; }
  constexpr int code_bits() const { return book == CodeBook::none ? bits : book == CodeBook::iq4 ? 8 : 5; }  // of a code that is multiplied
  constexpr int64_t code_bytes() const { return bits * 64; }                                                 // of 32 columns
  // The output has a term without the code: a minimum, or one that follows from the zero point.
  constexpr bool adds_sum() const { return has_min || affine; }
  // Scales of one file block of 16 rows.
  constexpr int64_t scale_bytes() const {
    if (whole_row) return 0;
    return power_scale ? 16 : affine ? 48 : halves() * (32 + (super() ? runs() * 16 : 0));
  }
  constexpr int64_t codes_at(int64_t columns) const {
    return dense() ? 0 : whole_row ? 128 : (columns / block * scale_bytes() + 63) / 64 * 64;
  }
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
inline constexpr RowFormat kRowIq4Nl{DType::iq4_nl, 4, 128, false, 32, 32, CodeBook::iq4};
inline constexpr RowFormat kRowIq4Xs{DType::iq4_xs, 4, 128, false, 256, 32, CodeBook::iq4};
inline constexpr RowFormat kRowMxfp4{DType::mxfp4, 4, 16, false, 32, 32, CodeBook::fp4, true};
inline constexpr RowFormat kRowInt8{.dtype = DType::int8, .bits = 8, .offset = 128, .block = 32, .affine = true, .whole_row = true};
inline constexpr RowFormat kRowInt4G32{.dtype = DType::int4_g32, .bits = 4, .block = 32, .affine = true};
inline constexpr RowFormat kRowInt4G64{.dtype = DType::int4_g64, .bits = 4, .block = 64, .affine = true};
inline constexpr RowFormat kRowInt4G128{.dtype = DType::int4_g128, .bits = 4, .block = 128, .affine = true};

// nullptr for a format without a packed layout.
constexpr const RowFormat* row_format_of(DType dtype) {
  constexpr const RowFormat* formats[] = {&kRowF32,   &kRowF16,   &kRowBf16, &kRowQ4_0,    &kRowQ4_1,    &kRowQ5_0,
                                          &kRowQ5_1,  &kRowQ8_0,  &kRowQ4_K, &kRowQ5_K,    &kRowQ6_K,    &kRowIq4Nl,
                                          &kRowIq4Xs, &kRowMxfp4, &kRowInt8, &kRowInt4G32, &kRowInt4G64, &kRowInt4G128};
  for (const RowFormat* format : formats)
    if (format->dtype == dtype) return format;
  return nullptr;
}

constexpr int64_t groups_of(int64_t rows) {
  return (rows + kGroupRows - 1) / kGroupRows;
}

}  // namespace hyalite

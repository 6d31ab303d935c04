// Packs and unpacks planes16 layouts (plane_format.h), by way of rows16.
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cpu/linear/plane_format.h"
#include "kernels/kernel_layouts.h"
#include "tensor/half.h"

namespace hyalite {
namespace {

constexpr int kVectors = 8, kVectorBytes = 64;

// Codes of 32 columns of a group, byte 4r + i of [j] is column 4j + i of row r; or of one row, `bytes` being 4, with r = 0.
template <int bytes = kVectorBytes>
using Codes = uint8_t[kVectors][bytes];

void put_nibbles(const Codes<>& codes, uint8_t* to) {
  for (int j = 0; j < 4; ++j)
    for (int p = 0; p < kVectorBytes; ++p) to[kVectorBytes * j + p] = static_cast<uint8_t>((codes[j][p] & 15) | codes[j + 4][p] << 4);
}
template <int bytes>
void add_nibbles(const uint8_t* from, Codes<bytes>& codes) {
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < bytes; ++p) codes[j][p] |= from[kVectorBytes * (j % 4) + p] >> j / 4 * 4 & 15;
}
// Bits `shift` and shift + 1 of each code.
void put_pairs(const Codes<>& codes, int shift, uint8_t* to) {
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < kVectorBytes; ++p) to[kVectorBytes * (j / 4) + p] |= static_cast<uint8_t>((codes[j][p] >> shift & 3) << j % 4 * 2);
}
template <int bytes>
void add_pairs(const uint8_t* from, int shift, Codes<bytes>& codes) {
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < bytes; ++p) codes[j][p] |= static_cast<uint8_t>((from[kVectorBytes * (j / 4) + p] >> j % 4 * 2 & 3) << shift);
}
void put_singles(const Codes<>& codes, int shift, uint8_t* to) {
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < kVectorBytes; ++p) to[p] |= static_cast<uint8_t>((codes[j][p] >> shift & 1) << j);
}
template <int bytes>
void add_singles(const uint8_t* from, int shift, Codes<bytes>& codes) {
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < bytes; ++p) codes[j][p] |= static_cast<uint8_t>((from[p] >> j & 1) << shift);
}

// Codes as rows16 keeps them.
template <int bits>
void read_row_codes(const uint8_t* from, Codes<>& codes) {
  static_assert(bits == 8 || bits == 6);
  std::memset(codes, 0, sizeof codes);
  if constexpr (bits == 8) {
    std::memcpy(codes, from, sizeof codes);
  } else {
    add_nibbles(from, codes);
    add_pairs(from + 4 * kVectorBytes, 4, codes);
  }
}
// REQUIRES: the planes are zero.
template <PlaneFormat format>
void write_planes(const Codes<>& codes, uint8_t* coarse, uint8_t* fine) {
  Codes<> high;
  for (int j = 0; j < kVectors; ++j)
    for (int p = 0; p < kVectorBytes; ++p) high[j][p] = codes[j][p] >> format.fine_bits;
  put_nibbles(high, coarse);
  if (format.coarse_bits() == 5) put_singles(high, 4, coarse + 4 * kVectorBytes);
  put_pairs(codes, 0, fine);
  if (format.fine_bits == 3) put_singles(codes, 2, fine + 2 * kVectorBytes);
}
template <PlaneFormat format, int bytes>
void read_planes(const uint8_t* coarse, const uint8_t* fine, Codes<bytes>& codes) {
  std::memset(codes, 0, sizeof codes);
  add_nibbles(coarse, codes);
  if (format.coarse_bits() == 5) add_singles(coarse + 4 * kVectorBytes, 4, codes);
  for (auto& vector : codes)
    for (uint8_t& code : vector) code = static_cast<uint8_t>(code << format.fine_bits);
  add_pairs(fine, 0, codes);
  if (format.fine_bits == 3) add_singles(fine + 2 * kVectorBytes, 2, codes);
}

// What codes of row r of a group are multiplied by, around column k.
template <RowFormat row>
float scale_of(const uint8_t* scales, int64_t k, int64_t r) {
  const uint8_t* block = scales + k / row.block * row.scale_bytes();
  uint16_t half_bits;
  std::memcpy(&half_bits, block + 2 * r, 2);
  const float scale = half_to_float(half_bits);
  if constexpr (!row.super()) return scale;
  return scale * static_cast<float>(static_cast<int8_t>(block[32 + 16 * (k % row.block / row.scale_run) + r]));
}

// Squares that one row gathers: of what the coarse values leave, and of the values.
struct Norms {
  double left = 0, whole = 0;
};

template <PlaneFormat format>
void add_squares(const uint8_t* scales, int64_t k, const Codes<>& codes, Norms* rows) {
  constexpr RowFormat row = format.row;
  for (int r = 0; r < kGroupRows; ++r) {
    for (int first = 0; first < kBlockColumns; first += row.scale_run) {
      const float scale = scale_of<row>(scales, k + first, r);
      int left = 0, whole = 0;
      for (int i = first; i < first + row.scale_run; ++i) {
        const int code = codes[i / 4][4 * r + i % 4], low = (code & (2 * format.half() - 1)) - format.half(), value = code - row.offset;
        left += low * low, whole += value * value;
      }
      const double square = static_cast<double>(scale) * scale;
      rows[r].left += square * left, rows[r].whole += square * whole;
    }
  }
}

float finite_or_huge(double value) {
  return std::isfinite(value) ? static_cast<float>(value) : 0x1p120F;
}

// Both sums round, each by less than 2^-16 of |w| |x| for up to 256 blocks; norms are computed here and in the kernel with a relative error
// far below 2^-10.
float slack_of(const Norms& norms) {
  return finite_or_huge(std::sqrt(norms.left) * (1 + 0x1p-10) + std::sqrt(norms.whole) * 0x1p-14);
}
float size_of(const Norms& norms) {
  return finite_or_huge((std::sqrt(norms.whole) + std::sqrt(norms.left)) * (1 + 0x1p-10));
}

template <PlaneFormat format>
void split_group(const uint8_t* rows16, int64_t columns, int64_t rows, PlaneGroup<uint8_t> to) {
  constexpr RowFormat row = format.row;
  std::memset(to.coarse, 0, static_cast<size_t>(columns / kBlockColumns * format.coarse_bits() * 64));
  std::memset(to.fine, 0, static_cast<size_t>(format.fine_bytes(columns)));
  std::memcpy(to.scales, rows16, static_cast<size_t>(row.codes_at(columns)));
  Norms norms[kGroupRows];
  for (int64_t b = 0; b < columns / kBlockColumns; ++b) {
    Codes<> codes;
    read_row_codes<row.bits>(rows16 + row.codes_at(columns) + b * row.code_bytes(), codes);
    write_planes<format>(codes, to.coarse + b * format.coarse_bits() * 64, to.fine + b * format.fine_bits * 64);
    add_squares<format>(rows16, b * kBlockColumns, codes, norms);
  }
  auto *slack = reinterpret_cast<float*>(to.bounds), *size = slack + kGroupRows;
  for (int r = 0; r < kGroupRows; ++r) slack[r] = r < rows ? slack_of(norms[r]) : -0x1p120F, size[r] = r < rows ? size_of(norms[r]) : 0;
}

template <PlaneFormat format>
void pack(const TensorView& source, int64_t first, int64_t rows, uint8_t* packed, WorkRange range) {
  const PackedLayout& rows16 = *packed_layout_of(format.row.dtype, "rows16");
  const int64_t groups = groups_of(source.rows()), columns = source.columns();
  std::vector<uint8_t> together(rows16.packed_bytes(kGroupRows, columns));
  for (int64_t g = range.begin(groups); g < range.end(groups); ++g) {
    TensorView part = source;
    part.data = const_cast<uint8_t*>(source.row(g * kGroupRows));
    part.dims[0] = g + 1 < groups ? kGroupRows : source.rows() - g * kGroupRows;
    rows16.pack(part, 0, kGroupRows, together.data(), WorkRange{});
    split_group<format>(together.data(), columns, part.dims[0],
                        plane_group<format>(packed, groups_of(rows), columns, first / kGroupRows + g));
  }
}

template <PlaneFormat format>
void unpack_row(const uint8_t* packed, int64_t rows, int64_t columns, int64_t row, float* out) {
  constexpr RowFormat as = format.row;
  const PlaneGroup<const uint8_t> group = plane_group<format>(packed, groups_of(rows), columns, row / kGroupRows);
  const int64_t r = row % kGroupRows;
  for (int64_t k = 0; k < columns; k += kBlockColumns) {
    const int64_t b = k / kBlockColumns;
    Codes<4> codes;
    read_planes<format>(group.coarse + b * format.coarse_bits() * 64 + 4 * r, group.fine + b * format.fine_bits * 64 + 4 * r, codes);
    for (int first = 0; first < kBlockColumns; first += as.scale_run) {
      const float scale = scale_of<as>(group.scales, k + first, r);
      for (int i = first; i < first + as.scale_run; ++i) out[k + i] = scale * static_cast<float>(codes[i / 4][i % 4] - as.offset);
    }
  }
}

template <PlaneFormat format>
constexpr PackedLayout planes16() {
  auto packed_bytes = [](int64_t rows, int64_t columns) { return static_cast<size_t>(groups_of(rows) * format.group_bytes(columns)); };
  return {"planes16", format.row.dtype, packed_bytes, pack<format>, unpack_row<format>};
}

}  // namespace

constinit const PackedLayout layout_planes_q8_0 = planes16<kPlanesQ8_0>();
constinit const PackedLayout layout_planes_q6_k = planes16<kPlanesQ6_K>();

}  // namespace hyalite

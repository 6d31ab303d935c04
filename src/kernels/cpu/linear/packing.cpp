// Packs and unpacks rows16 layouts (row_format.h).
#include <cstring>

#include "kernels/cpu/linear/row_format.h"
#include "kernels/kernel_layouts.h"
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

uint32_t load_word(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, 4);
  return word;
}
void store_word(uint8_t* at, uint32_t word) {
  std::memcpy(at, &word, 4);
}
void store_u16(uint8_t* at, uint16_t value) {
  std::memcpy(at, &value, 2);
}

// One file block taken apart: a byte per code, scales as they are stored.
struct Block {
  uint8_t codes[kSuperBlock];
  uint8_t zero;                  // affine formats
  uint16_t d, min;               // half bits, or e8m0 in the lower byte of d; min is dmin in blocks of 256
  uint8_t scales[16], mins[16];  // of each run, blocks of 256 only
};

void nibbles_of_32(const uint8_t* __restrict bytes, uint8_t* __restrict codes) {
  for (int i = 0; i < 16; ++i) codes[i] = bytes[i] & 15;
  for (int i = 0; i < 16; ++i) codes[16 + i] = bytes[i] >> 4;
}

void add_fifth_bits(uint32_t high, uint8_t* codes) {
  for (int i = 0; i < 32; i += 4) {  // four bits to one bit in each of four bytes, by a multiplication that puts copies 7 bits apart
    const uint32_t spread = (high >> i & 15) * 0x00204081u & 0x01010101u;
    store_word(codes + i, load_word(codes + i) | spread << 4);
  }
}

void scales_of_k(const uint8_t* packed, Block& block) {
  for (int j = 0; j < 8; ++j) {
    const ScaleMin sub = unpack_scale_min(packed, j);
    block.scales[j] = static_cast<uint8_t>(sub.scale), block.mins[j] = static_cast<uint8_t>(sub.min);
  }
}

void nibbles_of_k(const uint8_t* __restrict bytes, uint8_t* __restrict codes) {
  for (int run = 0; run < 8; run += 2, bytes += 32, codes += 64) {
    for (int i = 0; i < 32; ++i) codes[i] = bytes[i] & 15;
    for (int i = 0; i < 32; ++i) codes[32 + i] = bytes[i] >> 4;
  }
}

// Signed scales of 6 bits: 4 low ones in nibbles, 2 high ones of all runs in 16 bits.
void scales_of_iq4_xs(const uint8_t* file, Block& block) {
  const int high = load_u16(file + 2);
  for (int run = 0; run < 8; ++run)
    block.scales[run] = static_cast<uint8_t>(((file[4 + run / 2] >> run % 2 * 4 & 15) | (high >> 2 * run & 3) << 4) - 32);
}

void nibbles_of_pairs(const uint8_t* __restrict bytes, int columns, uint8_t* __restrict codes) {
  for (int i = 0; i < columns / 2; ++i) codes[2 * i] = bytes[i] & 15, codes[2 * i + 1] = bytes[i] >> 4;
}

template <DType dtype>
void take_apart(const uint8_t* __restrict file, Block& __restrict block) {
  block.d = load_u16(file), block.min = load_u16(file + 2);
  if constexpr (row_format_of(dtype)->affine) {
    block.zero = file[2];
    nibbles_of_pairs(file + 3, row_format_of(dtype)->block, block.codes);
  } else if constexpr (dtype == DType::q4_0 || dtype == DType::iq4_nl) {
    nibbles_of_32(file + 2, block.codes);
  } else if constexpr (dtype == DType::q4_1) {
    nibbles_of_32(file + 4, block.codes);
  } else if constexpr (dtype == DType::q5_0) {
    nibbles_of_32(file + 6, block.codes);
    add_fifth_bits(load_u32(file + 2), block.codes);
  } else if constexpr (dtype == DType::q5_1) {
    nibbles_of_32(file + 8, block.codes);
    add_fifth_bits(load_u32(file + 4), block.codes);
  } else if constexpr (dtype == DType::q8_0) {
    for (int i = 0; i < 32; ++i) block.codes[i] = file[2 + i] ^ 0x80;  // signed to 128 more
  } else if constexpr (dtype == DType::q4_k) {
    scales_of_k(file + 4, block);
    nibbles_of_k(file + 16, block.codes);
  } else if constexpr (dtype == DType::q5_k) {
    scales_of_k(file + 4, block);
    nibbles_of_k(file + 48, block.codes);
    for (int run = 0; run < 8; ++run)
      for (int i = 0; i < 32; ++i) block.codes[run * 32 + i] |= static_cast<uint8_t>((file[16 + i] >> run & 1) << 4);
  } else if constexpr (dtype == DType::iq4_xs) {
    scales_of_iq4_xs(file, block);
    for (int run = 0; run < 8; ++run) nibbles_of_32(file + 8 + 16 * run, block.codes + 32 * run);
  } else if constexpr (dtype == DType::mxfp4) {
    block.d = file[0];
    nibbles_of_32(file + 1, block.codes);
  } else {
    static_assert(dtype == DType::q6_k);
    block.d = load_u16(file + 208);
    std::memcpy(block.scales, file + 192, 16);
    for (int run = 0; run < 8; ++run) {
      const uint8_t *low = file + run / 4 * 64 + run % 2 * 32, *high = file + 128 + run / 4 * 32;
      const int low_shift = run % 4 / 2 * 4, high_shift = run % 4 * 2;
      for (int i = 0; i < 32; ++i)
        block.codes[run * 32 + i] = static_cast<uint8_t>((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4);
    }
  }
}

// Codes of 32 columns of lane `row` into the vectors at `out`.
template <int bits>
void put_codes(const uint8_t* codes, int row, uint8_t* out) {
  uint32_t word[8];
  for (int j = 0; j < 8; ++j) word[j] = load_word(codes + 4 * j);
  uint8_t* lane = out + 4 * row;
  if constexpr (bits == 8) {
    for (int j = 0; j < 8; ++j) store_word(lane + 64 * j, word[j]);
    return;
  }
  for (int j = 0; j < 4; ++j) store_word(lane + 64 * j, (word[j] & 0x0f0f0f0f) | (word[j + 4] & 0x0f0f0f0f) << 4);
  if constexpr (bits == 5) {
    uint32_t plane = 0;
    for (int j = 0; j < 8; ++j) plane |= (word[j] >> 4 & 0x01010101) << j;
    store_word(lane + 256, plane);
  } else if constexpr (bits == 6) {
    for (int h = 0; h < 2; ++h) {
      uint32_t plane = 0;
      for (int j = 0; j < 4; ++j) plane |= (word[4 * h + j] >> 4 & 0x03030303) << 2 * j;
      store_word(lane + 256 + 64 * h, plane);
    }
  }
}

template <int bits>
void get_codes(const uint8_t* in, int row, uint8_t* codes) {
  const uint8_t* lane = in + 4 * row;
  for (int j = 0; j < 8; ++j) {
    uint32_t word;
    if constexpr (bits == 8) {
      word = load_word(lane + 64 * j);
    } else {
      word = load_word(lane + 64 * (j % 4)) >> j / 4 * 4 & 0x0f0f0f0f;
      if constexpr (bits == 5) word |= (load_word(lane + 256) >> j & 0x01010101) << 4;
      if constexpr (bits == 6) word |= (load_word(lane + 256 + 64 * (j / 4)) >> j % 4 * 2 & 0x03030303) << 4;
    }
    store_word(codes + 4 * j, word);
  }
}

template <RowFormat format>
void put_scales(const Block& block, int row, uint8_t* out) {
  if constexpr (format.power_scale) {
    out[row] = static_cast<uint8_t>(block.d);
    return;
  }
  store_u16(out + 2 * row, block.d);
  if (format.affine) out[32 + row] = block.zero;
  if (format.has_min) store_u16(out + 32 + 2 * row, block.min);
  if (!format.super()) return;
  uint8_t* runs = out + 32 * format.halves() + row;
  for (int j = 0; j < format.runs(); ++j) runs[16 * j] = block.scales[j];
  if (format.has_min)
    for (int j = 0; j < format.runs(); ++j) runs[16 * (format.runs() + j)] = block.mins[j];
}

// One scale and zero point of a row, then a byte a column.
template <RowFormat format>
void pack_whole_row(const uint8_t* file, int64_t columns, int row, uint8_t* group) {
  std::memcpy(group + 4 * row, file, 4);
  group[64 + row] = file[4];
  const uint8_t* codes = file + format_of(format.dtype).row_header_bytes;
  for (int64_t k = 0; k < columns; k += kBlockColumns)
    put_codes<format.bits>(codes + k, row, group + format.codes_at(columns) + k / kBlockColumns * format.code_bytes());
}

template <RowFormat format>
void pack_group(const TensorView& source, int64_t first_row, uint8_t* group) {
  const int64_t columns = source.columns();
  const auto block_bytes = static_cast<int64_t>(row_bytes(format.dtype, format.block));
  uint8_t* codes = group + format.codes_at(columns);
  Block block;
  for (int row = 0; row < kGroupRows && first_row + row < source.rows(); ++row) {
    const uint8_t* file = source.row(first_row + row);
    if constexpr (format.whole_row) {
      pack_whole_row<format>(file, columns, row, group);
      continue;
    }
    for (int64_t b = 0; b < columns / format.block; ++b, file += block_bytes) {
      take_apart<format.dtype>(file, block);
      put_scales<format>(block, row, group + b * format.scale_bytes());
      for (int run = 0; run < format.block / kBlockColumns; ++run) {
        const int64_t at = b * (format.block / kBlockColumns) + run;
        put_codes<format.bits>(block.codes + run * kBlockColumns, row, codes + at * format.code_bytes());
      }
    }
  }
}

// Where column k of lane `row` lies, in elements.
template <RowFormat format>
int64_t dense_place(int64_t k, int row) {
  if constexpr (format.dtype == DType::bf16) return (k / 2 * kGroupRows + row) * 2 + (k % 2 ^ 1);  // little-endian words
  return k * kGroupRows + row;
}

template <RowFormat format, class Element>
void pack_dense_group(const TensorView& source, int64_t first_row, uint8_t* group) {
  const int64_t columns = source.columns(), rows = source.rows() - first_row;
  auto* out = reinterpret_cast<Element*>(group);
  for (int row = 0; row < kGroupRows && row < rows; ++row) {
    const uint8_t* file = source.row(first_row + row);  // of any alignment
    for (int64_t k = 0; k < columns; ++k) std::memcpy(out + dense_place<format>(k, row), file + k * sizeof(Element), sizeof(Element));
  }
}

template <RowFormat format>
void pack(const TensorView& source, int64_t first, int64_t /*rows*/, uint8_t* packed, WorkRange range) {
  const int64_t groups = groups_of(source.rows()), bytes = format.group_bytes(source.columns());
  packed += first / kGroupRows * bytes;
  for (int64_t g = range.begin(groups); g < range.end(groups); ++g) {
    uint8_t* group = packed + g * bytes;
    // Padding too is part of an artifact's digest.
    std::memset(group, 0, static_cast<size_t>(bytes));
    if constexpr (!format.dense()) {
      pack_group<format>(source, g * kGroupRows, group);
    } else if constexpr (format.bits == 32) {
      pack_dense_group<format, uint32_t>(source, g * kGroupRows, group);
    } else {
      pack_dense_group<format, uint16_t>(source, g * kGroupRows, group);
    }
  }
}

float dense_value(DType dtype, const uint8_t* at) {
  if (dtype == DType::f32) return float_from_bits(load_u32(at));
  return dtype == DType::f16 ? load_half(at) : bf16_to_float(load_u16(at));
}

// Values of one run of columns that share a scale.
template <RowFormat format>
void decode_run(const uint8_t* scales, int run, int row, const uint8_t* codes, float* out) {
  float scale = format.whole_row     ? float_from_bits(load_word(scales + 4 * row))
                : format.power_scale ? half_of_e8m0(scales[row])
                                     : load_half(scales + 2 * row);
  float min = format.has_min ? load_half(scales + 32 + 2 * row) : 0;
  if constexpr (format.super()) {
    const uint8_t* runs = scales + 32 * format.halves() + row;
    const uint8_t own = runs[16 * run];
    scale *= format.offset ? static_cast<float>(static_cast<int8_t>(own)) : static_cast<float>(own);
    if constexpr (format.has_min) min = -(min * static_cast<float>(runs[16 * (format.runs() + run)]));
  }
  const int offset = format.affine ? scales[(format.whole_row ? 64 : 32) + row] : format.offset;
  for (int i = 0; i < format.scale_run; ++i) {
    const int code = format.book == CodeBook::none ? codes[i] : codes_of(format.book)[codes[i]];
    const float value = scale * static_cast<float>(code - offset);
    out[i] = format.has_min ? value + min : value;
  }
}

template <RowFormat format>
void unpack_row(const uint8_t* packed, int64_t /*rows*/, int64_t columns, int64_t row, float* out) {
  const uint8_t* group = packed + row / kGroupRows * format.group_bytes(columns);
  const int lane = static_cast<int>(row % kGroupRows);
  if constexpr (format.dense()) {
    constexpr int size = format.bits / 8;
    for (int64_t k = 0; k < columns; ++k) out[k] = dense_value(format.dtype, group + dense_place<format>(k, lane) * size);
  } else {
    uint8_t codes[kBlockColumns];
    for (int64_t k = 0; k < columns; k += kBlockColumns) {
      get_codes<format.bits>(group + format.codes_at(columns) + k / kBlockColumns * format.code_bytes(), lane, codes);
      const uint8_t* scales = group + k / format.block * format.scale_bytes();
      for (int64_t i = 0; i < kBlockColumns; i += format.scale_run)
        decode_run<format>(scales, static_cast<int>((k + i) % format.block / format.scale_run), lane, codes + i, out + k + i);
    }
  }
}

template <RowFormat format>
constexpr PackedLayout rows16() {
  auto packed_bytes = [](int64_t rows, int64_t columns) { return static_cast<size_t>(groups_of(rows) * format.group_bytes(columns)); };
  return {"rows16", format.dtype, packed_bytes, pack<format>, unpack_row<format>};
}

}  // namespace

constinit const PackedLayout layout_f32 = rows16<kRowF32>();
constinit const PackedLayout layout_f16 = rows16<kRowF16>();
constinit const PackedLayout layout_bf16 = rows16<kRowBf16>();
constinit const PackedLayout layout_q4_0 = rows16<kRowQ4_0>();
constinit const PackedLayout layout_q4_1 = rows16<kRowQ4_1>();
constinit const PackedLayout layout_q5_0 = rows16<kRowQ5_0>();
constinit const PackedLayout layout_q5_1 = rows16<kRowQ5_1>();
constinit const PackedLayout layout_q8_0 = rows16<kRowQ8_0>();
constinit const PackedLayout layout_q4_k = rows16<kRowQ4_K>();
constinit const PackedLayout layout_q5_k = rows16<kRowQ5_K>();
constinit const PackedLayout layout_q6_k = rows16<kRowQ6_K>();
constinit const PackedLayout layout_iq4_nl = rows16<kRowIq4Nl>();
constinit const PackedLayout layout_iq4_xs = rows16<kRowIq4Xs>();
constinit const PackedLayout layout_mxfp4 = rows16<kRowMxfp4>();
constinit const PackedLayout layout_int8 = rows16<kRowInt8>();
constinit const PackedLayout layout_int4_g32 = rows16<kRowInt4G32>();
constinit const PackedLayout layout_int4_g64 = rows16<kRowInt4G64>();
constinit const PackedLayout layout_int4_g128 = rows16<kRowInt4G128>();

}  // namespace hyalite

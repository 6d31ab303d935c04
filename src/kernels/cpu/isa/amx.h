// AVX-512 with int8 dot products and the tile unit: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AMX)
namespace hyalite::amx {

using namespace avx512;

#include "kernels/cpu/isa/vnni512.inc"

inline constexpr bool kTileUnit = true;

// GCC 12 does not know that tiles are loaded from memory: what was stored before is in memory once this is passed.
HYALITE_INLINE void settle(const void* memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

// The shapes of the tile registers, as ldtilecfg reads them.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Gives the tile registers of this thread their shapes, and takes them back.
class ShapedTiles {
 public:
  ShapedTiles(const ShapedTiles&) = delete;
  ShapedTiles& operator=(const ShapedTiles&) = delete;

 protected:
  explicit HYALITE_INLINE ShapedTiles(const TileShapes& shapes) {
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));  // the intrinsic of GCC 12 tells of the first 8 bytes only
  }
  ~ShapedTiles() { _tile_release(); }  // not forced inline: the destructors that compilers add call it without the target
};

// Products: 0 and 3. 32 columns of activations of 16 tokens: 1 and 4; of codes: 2 and 5.
class TileUnit : public ShapedTiles {
 public:
  HYALITE_INLINE TileUnit() : ShapedTiles({.row_bytes = {64, 32, 64, 64, 32, 64}, .rows = {16, 16, 8, 16, 16, 8}}) {}
};

// products[token][16] of codes[8][16] (four bytes a lane, as multiply_four() takes them) and 32 columns of activations q[16][32]. Two
// sets of registers, so that one multiplies while the other is stored.
template <int set>
HYALITE_INLINE void multiply_32(const int32_t* codes, const int8_t* q, int32_t* products) {
  settle(codes), settle(q);
  if constexpr (set == 0) {
    _tile_zero(0);
    _tile_loadd(1, q, 32);
    _tile_loadd(2, codes, 64);
    _tile_dpbsud(0, 1, 2);
    _tile_stored(0, products, 64);
  } else {
    _tile_zero(3);
    _tile_loadd(4, q, 32);
    _tile_loadd(5, codes, 64);
    _tile_dpbsud(3, 4, 5);
    _tile_stored(3, products, 64);
  }
}

// The tile registers for products of bf16 numbers: C += A B with C[m][16] floats in 0 to 3, A[m][32] in 4 and 5, and B[32][16] in 6 and 7,
// its rows k and k + 16 side by side. Each C adds the sum over all 32 columns of A at once, in an order of the unit's own; denormals count
// as zero.
class Bf16TileUnit : public ShapedTiles {
 public:
  // m: 1 to 16.
  explicit HYALITE_INLINE Bf16TileUnit(int m) : ShapedTiles(shapes(static_cast<uint8_t>(m))) {}

 private:
  static HYALITE_INLINE TileShapes shapes(uint8_t m) {
    return {.row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {m, m, m, m, m, m, 16, 16}};
  }
};

// The upper halves of a and b, which are bf16 numbers: those of a in the low halves of the lanes, those of b in the high ones.
HYALITE_INLINE I32 pair_bf16(F32 a, F32 b) {
  return {_mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(bits(a).v, 16), bits(b).v)};
}

}  // namespace hyalite::amx
HYALITE_TARGET_END

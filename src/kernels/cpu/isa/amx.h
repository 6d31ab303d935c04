// AVX-512 with int8 dot products and the tile unit: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AMX)
namespace hyalite::amx {

using namespace avx512;

#include "kernels/cpu/isa/vnni512.inc"

inline constexpr bool kTileUnit = true;

// Gives the tile registers of this thread their shapes, and takes them back. Products: 0 and 3. 32 columns of activations of 16 tokens: 1
// and 4; of codes: 2 and 5.
class TileUnit {
 public:
  HYALITE_INLINE TileUnit() {
    const struct alignas(64) {
      uint8_t palette = 1, start = 0, reserved[14] = {};
      uint16_t row_bytes[16] = {64, 32, 64, 64, 32, 64};
      uint8_t rows[16] = {16, 16, 8, 16, 16, 8};
    } shapes;
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));  // the intrinsic of GCC 12 tells of the first 8 bytes only
  }
  HYALITE_INLINE ~TileUnit() { _tile_release(); }
  TileUnit(const TileUnit&) = delete;
  TileUnit& operator=(const TileUnit&) = delete;
};

// products[token][16] of codes[8][16] (four bytes a lane, as multiply_four() takes them) and 32 columns of activations q[16][32]. Two
// sets of registers, so that one multiplies while the other is stored.
template <int set>
HYALITE_INLINE void multiply_32(const int32_t* codes, const int8_t* q, int32_t* products) {
  __asm__ volatile("" : : : "memory");  // the intrinsics of GCC 12 do not tell that tiles are loaded from memory
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
}  // namespace hyalite::amx
HYALITE_TARGET_END

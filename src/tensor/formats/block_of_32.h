// How blocks of 32 integer codes are written: q4_0 and q5_0 with one scale, q4_1 and q5_1 with scale and minimum. `Pack` puts 32 codes into
// the block; the halves stand first.
#pragma once

#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {

using PackCodes = void (*)(const uint8_t* codes, uint8_t* block);

// value = d * (code - Offset), codes below 2 * Offset.
template <int Offset, PackCodes Pack>
void encode_offset_nearest(const float* x, uint8_t* block) {
  const float d = extreme_of<32>(x) / -Offset, inverse = inverse_of(d);
  store_half(d, block);
  uint8_t codes[32];
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(truncated_code(x[i] * inverse + (Offset + 0.5f), 2 * Offset - 1));
  Pack(codes, block);
}
template <int Offset, PackCodes Pack>
void encode_offset_search(const float* x, const float* w, uint8_t* block) {
  using Codes = IntegerCodes<-Offset, Offset - 1>;
  const float d = store_half(fit_scale<Codes, 32>(x, w, {9, 0.0125f}), block);
  float codes[32];
  codes_of<Codes, 32>(x, inverse_of(d), codes);
  uint8_t unsigned_codes[32];
  for (int i = 0; i < 32; ++i) unsigned_codes[i] = static_cast<uint8_t>(codes[i] + Offset);
  Pack(unsigned_codes, block);
}

// value = d * code + minimum, codes up to Most.
template <int Most, PackCodes Pack>
void pack_affine(const float* x, float minimum, float inverse, uint8_t* block) {
  uint8_t codes[32];
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(truncated_code((x[i] - minimum) * inverse + 0.5f, Most));
  Pack(codes, block);
}
template <int Most, PackCodes Pack>
void encode_affine_nearest(const float* x, uint8_t* block) {
  float low = x[0], high = x[0];
  for (int i = 1; i < 32; ++i) {
    if (x[i] < low) low = x[i];
    if (x[i] > high) high = x[i];
  }
  const float d = (high - low) / Most;
  store_half(d, block);
  store_half(low, block + 2);
  pack_affine<Most, Pack>(x, low, inverse_of(d), block);
}
template <int Most, PackCodes Pack>
void encode_affine_search(const float* x, const float* w, uint8_t* block) {
  const ScaleAndMinimum fit = fit_affine<Most, 32>(x, w, false, true);
  const float d = store_half(fit.scale, block), minimum = store_half(fit.minimum, block + 2);
  pack_affine<Most, Pack>(x, minimum, inverse_of(d), block);
}

}  // namespace hyalite

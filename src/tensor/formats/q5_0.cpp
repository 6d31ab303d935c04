// q5_0: half scale | 32 fifth bits | 16 bytes of nibbles. value = d * (q - 16).
#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const uint32_t high = load_u32(block + 2);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(block + 6, i) | static_cast<int>(high >> i & 1) << 4;
    out[i] = d * static_cast<float>(q - 16);
  }
}

using Codes = IntegerCodes<-16, 15>;

void pack(const uint8_t* codes, uint8_t* block) {
  pack_fifth_bits(codes, block + 2);
  pack_nibbles_of_32(codes, block + 6);
}

void encode_nearest(const float* x, uint8_t* block) {
  const float d = extreme_of<32>(x) / -16, inverse = inverse_of(d);
  store_half(d, block);
  uint8_t codes[32];
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(truncated_code(x[i] * inverse + 16.5f, 31));
  pack(codes, block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  const float d = store_half(fit_scale<Codes, 32>(x, w, {9, 0.0125f}), block);
  float codes[32];
  codes_of<Codes, 32>(x, inverse_of(d), codes);
  uint8_t unsigned_codes[32];
  for (int i = 0; i < 32; ++i) unsigned_codes[i] = static_cast<uint8_t>(codes[i] + 16);
  pack(unsigned_codes, block);
}

}  // namespace

const FormatSpec format_q5_0 = block_format<32, 22, decode_block>(DType::q5_0, "q5_0");
const Encoder encoder_q5_0 = block_encoder<32, 22, encode_nearest, encode_search>(DType::q5_0);

}  // namespace hyalite

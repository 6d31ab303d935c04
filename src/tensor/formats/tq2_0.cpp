// tq2_0: 64 bytes of 2-bit values | half d. value = d * (q - 1).
#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block + 64);
  for (int i = 0; i < kSuperBlock; ++i) {
    const int q = block[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
    out[i] = d * static_cast<float>(q - 1);
  }
}

void pack(const float* x, float inverse, uint8_t* block) {
  uint8_t digits[kSuperBlock];
  ternary_digits(x, inverse, digits);
  pack_crumbs_of_256(digits, block);
}

void encode_nearest(const float* x, uint8_t* block) {
  const float d = __builtin_fabsf(extreme_of<kSuperBlock>(x));
  store_half(d, block + 64);
  pack(x, inverse_of(d), block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  pack(x, inverse_of(store_half(fit_ternary(x, w), block + 64)), block);
}

}  // namespace

const FormatSpec format_tq2_0 = block_format<kSuperBlock, 66, decode_block>(DType::tq2_0, "tq2_0");
const Encoder encoder_tq2_0 = block_encoder<kSuperBlock, 66, encode_nearest, encode_search>(DType::tq2_0);

}  // namespace hyalite

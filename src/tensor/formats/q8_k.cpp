// q8_k: float d | 256 signed bytes | 16 sums of 16 values as i16, not decoded. value = d * q.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = float_from_bits(load_u32(block));
  for (int i = 0; i < kSuperBlock; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block[4 + i]));
}

}  // namespace

const FormatSpec format_q8_k = block_format<kSuperBlock, 292, decode_block>(DType::q8_k, "q8_k");

}  // namespace hyalite

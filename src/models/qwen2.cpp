// Qwen2, Qwen2.5: the pre-norm decoder with biases on q, k and v (config: qkv_bias).
#include "base/error.h"
#include "models/blocks.h"

namespace hyalite {

void build_qwen2(BlockBuilder& b) {
  if (!b.config().qkv_bias) throw Error(ErrorCode::invalid_model, "qwen2 config", "q, k and v must have biases");
  b.pre_norm_decoder();
}

}  // namespace hyalite

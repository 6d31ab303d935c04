// Qwen3: the pre-norm decoder with a norm over each head of q and k before the rotation (config: qk_norm) and heads whose size need not be
// hidden / heads.
#include "base/error.h"
#include "models/blocks.h"

namespace hyalite {

void build_qwen3(BlockBuilder& b) {
  if (!b.config().qk_norm) throw Error(ErrorCode::invalid_model, "qwen3 config", "q and k must have norms");
  b.pre_norm_decoder();
}

}  // namespace hyalite

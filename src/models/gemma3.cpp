// Gemma 3 (text): each sublayer between two norms, per-head norms of q and k, scaled embeddings, sliding and full layers with their own
// rotary bases, gelu gate. Norm weights arrive with the family's "1 + w" already applied.
#include "base/error.h"
#include "models/blocks.h"

namespace hyalite {

void build_gemma3(BlockBuilder& b) {
  if (!b.config().post_norms || !b.config().qk_norm)
    throw Error(ErrorCode::invalid_model, "gemma3 config", "must have q, k and post norms");
  ValueId x = b.embedding();
  for (int64_t layer = 0; layer < b.config().layers; ++layer) {
    ValueId attn = b.attention(b.norm(x, layer, "attn_norm"), layer);
    x = b.residual(x, b.norm(attn, layer, "post_attention_norm"), layer, "attn");
    ValueId ffn = b.gated_mlp(b.norm(x, layer, "ffn_norm"), layer);
    x = b.residual(x, b.norm(ffn, layer, "post_ffw_norm"), layer, "ffn");
  }
  b.head(x);
}

}  // namespace hyalite

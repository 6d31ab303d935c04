// Llama 1 to 3.x, Mistral, SmolLM2: the pre-norm decoder. Rotary scaling and pair order are the config's.
#include "models/blocks.h"

namespace hyalite {

void build_llama(BlockBuilder& b) {
  b.pre_norm_decoder();
}

}  // namespace hyalite

// paged_attention_prefill and paged_attention_decode on every target but the tile unit (attention.amx.cpp).
#include <algorithm>

#include "kernels/cpu/attention/attention_rows.h"

namespace hyalite {

struct AttentionKernels {
  KernelRun paged_attention_prefill, paged_attention_decode;
};

}  // namespace hyalite

#define HYALITE_BODY "kernels/cpu/attention/attention.inc"
#include "kernels/cpu/for_each_target.inc"

namespace hyalite {
namespace {

// Rows and chunks of the largest step that decode still splits.
size_t decode_workspace(const Problem& problem) {
  const AttentionParams params = attention::params_of(problem);
  const int64_t tokens = std::min((kSplitTiles - 1) / tiles_per_token(params), problem.symbols.tokens);
  int64_t chunks = (std::max<int64_t>(problem.max_positions, 1) + kChunkPositions - 1) / kChunkPositions;
  if (params.window > 0) chunks = std::min<int64_t>(chunks, params.window / kChunkPositions + 2);
  return static_cast<size_t>(tokens * params.heads * chunks * partial_floats(params.head_dim)) * sizeof(float);
}

template <uint32_t needs>
constexpr KernelVariant decode(std::string_view op, std::string_view name, KernelRun run) {
  KernelVariant variant = attention::prefill<needs>(op, name, run);
  variant.phases = 2;
  variant.workspace = decode_workspace;
  return variant;
}

}  // namespace

HYALITE_VARIANTS(paged_attention_prefill, kAttention, attention::prefill)
HYALITE_VARIANTS(paged_attention_decode, kAttention, decode)

}  // namespace hyalite

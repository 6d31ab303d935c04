// paged_attention_prefill and paged_attention_decode on every target but the tile unit (attention.amx.cpp).
#include "kernels/cpu/attention/attention_rows.h"

namespace hyalite {

struct AttentionKernels {
  KernelRun paged_attention_prefill, paged_attention_decode;
};

}  // namespace hyalite

#define HYALITE_BODY "kernels/cpu/attention/attention.inc"
#include "kernels/cpu/for_each_target.inc"

namespace hyalite {

HYALITE_VARIANTS(paged_attention_prefill, kAttention, attention::prefill)
HYALITE_VARIANTS(paged_attention_decode, kAttention, attention::decode)

}  // namespace hyalite

// paged_attention_prefill with the tile unit, for caches of 16 bits or fewer. Decode has no such variant: few rows do not earn the
// splitting of keys and values, and took 1.7 times as long as with AVX-512 (SmolLM2, 4,000 positions, Emerald Rapids).
#include "kernels/cpu/attention/attention_rows.h"
#include "kernels/cpu/isa/amx.h"

HYALITE_TARGET_BEGIN(HYALITE_AMX)
namespace hyalite::amx {

#include "kernels/cpu/attention/whole.inc"

#include "kernels/cpu/attention/tile_chunk.inc"

static void paged_attention_prefill(const OpArgs& args, WorkRange range) {
  switch (args.cache->spec.dtype) {
    case DType::f16: return attend_whole<Half>(args, range);
    case DType::bf16: return attend_whole<Bf16>(args, range);
    default: return attend_whole<Code>(args, range);
  }
}

}  // namespace hyalite::amx
HYALITE_TARGET_END

namespace hyalite {
namespace {

std::string refuses(const Problem& problem) {
  if (std::string why = attention::refuses(problem); !why.empty()) return why;
  return problem.cache->dtype == DType::f32 ? "the cache is f32, which has more bits than its parts" : "";
}

constexpr KernelVariant prefill_by_tiles() {
  constexpr uint32_t needs = kAvx512 | kAvx512Vnni | kAmxInt8 | kAmxBf16;
  KernelVariant variant = attention::prefill<needs>("paged_attention_prefill", "paged_attention_prefill.amx", amx::paged_attention_prefill);
  variant.error_bound = 1e-4;
  variant.refuses = refuses;
  variant.rounds_alone = true;
  return variant;
}

}  // namespace

constinit const KernelVariant variant_paged_attention_prefill_amx = prefill_by_tiles();

}  // namespace hyalite

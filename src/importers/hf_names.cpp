#include "importers/hf_names.h"

#include "base/error.h"

namespace hyalite {
namespace {

struct NamePair {
  std::string_view canonical, file;
};

constexpr NamePair kLayerNames[] = {{"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
                                    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
                                    {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
                                    {"attn_k_norm", "self_attn.k_norm"}, {"ffn_gate", "mlp.gate_proj"},
                                    {"ffn_up", "mlp.up_proj"},           {"ffn_down", "mlp.down_proj"}};
// The same word means another norm where a block has two or four.
constexpr NamePair kTwoNorms[] = {{"ffn_norm", "post_attention_layernorm"}};
constexpr NamePair kFourNorms[] = {{"post_attention_norm", "post_attention_layernorm"},
                                   {"ffn_norm", "pre_feedforward_layernorm"},
                                   {"post_ffw_norm", "post_feedforward_layernorm"}};

template <size_t N>
std::string_view find(const NamePair (&rows)[N], std::string_view canonical) {
  for (const NamePair& row : rows)
    if (row.canonical == canonical) return row.file;
  return {};
}

struct Spelling {
  const char *prefix, *head;
};
constexpr Spelling kSpellings[] = {
    {"model.", "lm_head.weight"}, {"language_model.model.", "language_model.lm_head.weight"}, {"model.language_model.", "lm_head.weight"}};

}  // namespace

HfNames::HfNames(const ModelConfig& config, const std::map<std::string, FoundTensor>& tensors)
    : prefix_(kSpellings[0].prefix), head_(kSpellings[0].head), post_norms_(config.post_norms) {
  for (const Spelling& spelling : kSpellings) {
    if (!tensors.contains(std::string(spelling.prefix) + "embed_tokens.weight")) continue;
    prefix_ = spelling.prefix;
    head_ = spelling.head;
    return;
  }
}

std::string HfNames::of(const std::string& canonical) const {
  if (canonical == "token_embd") return prefix_ + "embed_tokens.weight";
  if (canonical == "output_norm") return prefix_ + "norm.weight";
  if (canonical == "output") return head_;
  const size_t layer = std::string_view("blk.").size(), dot = canonical.find('.', layer);
  HYALITE_CHECK(canonical.starts_with("blk.") && dot != std::string::npos, canonical);
  std::string_view part = std::string_view(canonical).substr(dot + 1);
  const bool bias = part.ends_with(".bias");
  if (bias) part.remove_suffix(std::string_view(".bias").size());
  std::string_view name = find(kLayerNames, part);
  if (name.empty()) name = post_norms_ ? find(kFourNorms, part) : find(kTwoNorms, part);
  HYALITE_CHECK(!name.empty(), canonical);
  return layers() + canonical.substr(layer, dot - layer) + "." + std::string(name) + (bias ? ".bias" : ".weight");
}

bool HfNames::is_ignorable(const std::string& name) const {
  if (name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".masked_bias")) return true;
  return !name.starts_with(prefix_) && name != head_ && prefix_ != kSpellings[0].prefix;
}

}  // namespace hyalite

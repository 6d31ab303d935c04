// Names of weights in Hugging Face checkpoints.
#pragma once

#include <map>
#include <string>

#include "importers/found_tensor.h"
#include "models/config.h"

namespace hyalite {

// How one checkpoint spells its names: multimodal files put the language model below a prefix.
class HfNames {
 public:
  HfNames(const ModelConfig& config, const std::map<std::string, FoundTensor>& tensors);

  // What the name of every tensor of a layer begins with.
  std::string layers() const { return prefix_ + "layers."; }
  // "blk.3.attn_q" -> "model.layers.3.self_attn.q_proj.weight"
  std::string of(const std::string& canonical) const;

  // Tensors that a language model does without: buffers that can be computed, and other parts of a multimodal model.
  bool is_ignorable(const std::string& name) const;

 private:
  std::string prefix_, head_;
  bool post_norms_;
};

}  // namespace hyalite

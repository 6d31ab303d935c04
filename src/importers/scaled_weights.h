// Weights in 8-bit floats whose scales are tensors of their own: X.weight with X.weight_scale_inv (one for every block of rows and columns;
// in spite of its name it multiplies), or X.weight_scale (one for the tensor or for every row).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "importers/found_tensor.h"

namespace hyalite {

class ScaledWeights {
 public:
  // `config` is config.json, whose quantization_config may give the block size. `tensors` must outlive this.
  ScaledWeights(const Json& config, const std::map<std::string, FoundTensor>& tensors);

  // Whether the tensor `name` has scales.
  bool has(const std::string& name) const { return scale_of(name) != nullptr; }
  // Throws Error{invalid_model} where the tensor holds 8-bit floats that have no scales, unless the whole checkpoint was cast to them:
  // config.json then has no quantization_config, and its dtype (formerly torch_dtype) names them.
  void require_scale(const FoundTensor& tensor) const;
  // Whether `name` is the name of scales, of weights, or of activations or cache entries (which Hyalite does not quantise).
  bool is_scale(const std::string& name) const;

  // The weights in fp32, each multiplied by its scale. REQUIRES: has(tensor.source.tensor). Throws Error{invalid_model} where scales do not
  // fit.
  std::vector<float> apply(const FoundTensor& tensor) const;

 private:
  const FoundTensor* scale_of(const std::string& name) const;

  const std::map<std::string, FoundTensor>& tensors_;
  std::optional<DType> cast_;                   // the type of a checkpoint that was cast to 8-bit floats
  int64_t block_rows_ = 0, block_columns_ = 0;  // 0: derived from the shapes
};

}  // namespace hyalite

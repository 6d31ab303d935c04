#include "importers/scaled_weights.h"

#include "base/error.h"

namespace hyalite {
namespace {

constexpr const char* kBlockScale = "_scale_inv";
constexpr const char* kTensorScale = "_scale";

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// How many rows or columns share a scale. `given` is what the configuration says, 0 where it does not.
int64_t block_size(const FoundTensor& scale, int64_t size, int64_t scales, int64_t given) {
  const int64_t block = scales == 1 ? size : given ? given : scales ? divide_up(size, scales) : 0;
  if (block < 1 || divide_up(size, block) != scales)
    throw Error(ErrorCode::invalid_model, scale.where(),
                "has " + std::to_string(scales) + " scales for " + std::to_string(size) + " rows or columns");
  return block;
}

// The 8-bit float that config.json names as the type of all weights.
std::optional<DType> cast_type(const Json& config) {
  for (const char* field : {"dtype", "torch_dtype"}) {
    if (!config.contains(field)) continue;
    if (config[field] == "float8_e4m3fn") return DType::f8_e4m3;
    if (config[field] == "float8_e5m2") return DType::f8_e5m2;
  }
  return std::nullopt;
}

}  // namespace

ScaledWeights::ScaledWeights(const Json& config, const std::map<std::string, FoundTensor>& tensors) : tensors_(tensors) {
  const auto quantization = config.find("quantization_config");
  if (quantization == config.end()) cast_ = cast_type(config);
  if (quantization == config.end() || !quantization->is_object()) return;
  const auto size = quantization->find("weight_block_size");
  if (size == quantization->end() || !size->is_array() || size->size() != 2 || !(*size)[0].is_number_unsigned() ||
      !(*size)[1].is_number_unsigned())
    return;
  constexpr uint64_t kMaxBlock = 1 << 24;
  block_rows_ = static_cast<int64_t>(std::min((*size)[0].get<uint64_t>(), kMaxBlock));
  block_columns_ = static_cast<int64_t>(std::min((*size)[1].get<uint64_t>(), kMaxBlock));
}

const FoundTensor* ScaledWeights::scale_of(const std::string& name) const {
  for (const char* suffix : {kBlockScale, kTensorScale})
    if (const auto at = tensors_.find(name + suffix); at != tensors_.end()) return &at->second;
  return nullptr;
}

void ScaledWeights::require_scale(const FoundTensor& tensor) const {
  const bool is_fp8 = tensor.dtype == DType::f8_e4m3 || tensor.dtype == DType::f8_e5m2;
  if (is_fp8 && cast_ != tensor.dtype && !has(tensor.source.tensor))
    throw Error(ErrorCode::invalid_model, tensor.where(), "has 8-bit floats, but no tensor with their scales");
}

bool ScaledWeights::is_scale(const std::string& name) const {
  for (const char* suffix : {".weight_scale_inv", ".weight_scale", ".input_scale", ".activation_scale", ".k_scale", ".v_scale"})
    if (name.ends_with(suffix)) return true;
  return false;
}

std::vector<float> ScaledWeights::apply(const FoundTensor& tensor) const {
  const FoundTensor& scale = *scale_of(tensor.source.tensor);
  if (!format_of(scale.dtype).is_float || tensor.dims.size() != 2 || scale.dims.size() > 2)
    throw Error(ErrorCode::invalid_model, scale.where(), "does not fit the weight of shape " + dims_to_string(tensor.dims));
  const int64_t rows = tensor.dims[0], columns = tensor.dims[1];
  const int64_t scale_rows = scale.dims.empty() ? 1 : scale.dims[0], scale_columns = scale.dims.size() == 2 ? scale.dims[1] : 1;
  const int64_t block_rows = block_size(scale, rows, scale_rows, block_rows_),
                block_columns = block_size(scale, columns, scale_columns, block_columns_);
  const std::vector<float> factors = decode_to_float(scale);
  std::vector<float> values = decode_to_float(tensor);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      values[row * columns + column] *= factors[row / block_rows * scale_columns + column / block_columns];
  return values;
}

}  // namespace hyalite

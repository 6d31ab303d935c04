#include "importers/found_tensor.h"

#include <cstring>

#include "base/error.h"

namespace hyalite {
namespace {

TensorType type_of(DType dtype, const std::vector<int64_t>& dims) {
  TensorType type{dtype, {}};
  for (int64_t dim : dims) type.dims.emplace_back(dim);
  return type;
}

}  // namespace

std::string dims_to_string(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

void check_shape(const FoundTensor& tensor, const TensorSpec& spec) {
  if (tensor.dims == spec.dims) return;
  throw Error(ErrorCode::invalid_model, tensor.where(),
              "has shape " + dims_to_string(tensor.dims) + ", the model's configuration needs " + dims_to_string(spec.dims));
}

std::vector<float> decode_to_float(const FoundTensor& tensor) {
  const FormatSpec& format = format_of(tensor.dtype);
  int64_t elements = 1;
  for (int64_t dim : tensor.dims) elements *= dim;
  std::vector<float> values(static_cast<size_t>(elements));
  format.decode(tensor.data(), elements / format.block_elements, values.data());
  return values;
}

void add_floats(WeightStore& store, const std::string& name, const FoundTensor& tensor, const std::vector<float>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  store.add_owned(name, type_of(DType::f32, tensor.dims), tensor.source, std::move(bytes));
}

void add_weight(WeightStore& store, const TensorSpec& spec, const FoundTensor& tensor) {
  check_shape(tensor, spec);
  if (tensor.dims.size() == 1 && tensor.dtype != DType::f32) {
    add_floats(store, spec.name, tensor, decode_to_float(tensor));
  } else {
    store.add_mapped(spec.name, type_of(tensor.dtype, tensor.dims), tensor.source, tensor.file, tensor.offset);
  }
}

}  // namespace hyalite

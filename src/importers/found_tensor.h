// A tensor as an importer finds it in a file, on its way into the WeightStore under its canonical name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "models/config.h"
#include "tensor/weight_store.h"

namespace hyalite {

struct FoundTensor {
  TensorSource source;
  DType dtype = DType::f32;
  std::vector<int64_t> dims;  // canonical order: outputs x inputs
  std::shared_ptr<MappedFile> file;
  size_t offset = 0;  // of the bytes in `file`; the importer has checked the range

  std::string where() const { return source.file + ": tensor " + source.tensor; }  // for errors
  const uint8_t* data() const { return file->bytes().data() + offset; }
};

// "[576, 1536]"
std::string dims_to_string(const std::vector<int64_t>& dims);

// Throws Error{invalid_model} where the shape is not the one that the model needs.
void check_shape(const FoundTensor& tensor, const TensorSpec& spec);

// Values as fp32.
std::vector<float> decode_to_float(const FoundTensor& tensor);
// Adds owned fp32 values under the canonical name.
void add_floats(WeightStore& store, const std::string& name, const FoundTensor& tensor, const std::vector<float>& values);

// Checks the shape and adds the tensor under its canonical name: matrices as they lie in the file, vectors (norms, biases) as fp32, which
// is exact for every float format.
void add_weight(WeightStore& store, const TensorSpec& spec, const FoundTensor& tensor);

}  // namespace hyalite

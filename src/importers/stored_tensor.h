// A row of a weight file's table, as safetensors and NPZ have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace hyalite {

struct StoredTensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> dims;  // row-major
  uint64_t offset = 0;        // from the start of the file; [offset, offset + bytes) lies inside it
  uint64_t bytes = 0;         // what dtype and dims need
};

// Those that have bytes, in the order of the file.
std::vector<const StoredTensor*> by_offset(const std::vector<StoredTensor>& tensors);

// Throws Error{invalid_model} where two tensors share a name or a byte.
void check_distinct(const std::vector<StoredTensor>& tensors, const std::string& file);

// Bytes of a dense tensor; nothing where a dim is negative or the product exceeds 2^62.
std::optional<uint64_t> dense_bytes(DType dtype, const std::vector<int64_t>& dims);

}  // namespace hyalite

// The table of a safetensors file: u64 header length, JSON header, data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "importers/stored_tensor.h"

namespace hyalite {

// Throws Error{invalid_model} naming `file`, the tensor and the field: a header longer than 100 MB or than the file, JSON that is not
// strict, unknown dtypes, offsets that leave the file, overlap or do not fit the shape.
std::vector<StoredTensor> parse_safetensors(std::span<const uint8_t> bytes, const std::string& file);

// The format has neither holes nor a rest. Throws Error{invalid_model} naming `file` and the first data that belongs to none of its
// tensors. REQUIRES: they were parsed from `bytes`.
void check_covered(std::span<const uint8_t> bytes, const std::vector<StoredTensor>& tensors, const std::string& file);

}  // namespace hyalite

// The arrays of an NPZ file: a zip archive of .npy members, as numpy.savez writes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "importers/stored_tensor.h"

namespace hyalite {

// Tensor names are the member names without ".npy". Members that are not arrays are passed over. Throws Error{invalid_model} naming `file`,
// the member and the offset for archives that break the format; Error{unsupported} for compressed or encrypted members, arrays in Fortran
// order and element types that Hyalite has not. Checksums are checked, so the whole file is read. numpy names no type that it does not have
// itself: two-byte void elements are bf16, one-byte void elements f8_e4m3 and "f1" is f8_e5m2, which is how ml_dtypes saves them.
std::vector<StoredTensor> parse_npz(std::span<const uint8_t> bytes, const std::string& file);

}  // namespace hyalite

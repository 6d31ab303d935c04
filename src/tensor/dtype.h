// Element and block formats of tensors, one row per format in formats.inc, one file each under formats/.
// Names, block sizes and bit layouts are those of GGUF (ggml, MIT) and safetensors, int8 and int4 Hyalite's own; a format is what a file
// holds. How a kernel lays weights out in memory is the kernel variant's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hyalite {

enum class DType : uint8_t {
#define FORMAT(name) name,
#include "tensor/formats.inc"
#undef FORMAT
};

inline constexpr int kDTypeCount = 0
#define FORMAT(name) +1
#include "tensor/formats.inc"
#undef FORMAT
    ;

// One constant row per format. Immutable, pure functions, any thread.
struct FormatSpec {
  DType dtype;
  std::string_view name;  // "q4_1", "f32": the same word in IR text, plans, variant names and reports
  int block_elements;     // elements per block along the last dimension; 1 for dense formats
  int block_bytes;        // bytes per block
  bool is_float;          // dense floating point
  bool is_quantized;      // block format with scales
  // Decodes `blocks` consecutive blocks to fp32, bit-exact with the reference decoder (gguf.quants for GGUF formats). Where rows have
  // headers, `data` is the beginning of a row. `out` holds blocks * block_elements floats. Any input bytes are acceptable (may give NaN or
  // Inf, never out-of-bounds reads).
  void (*decode)(const uint8_t* data, int64_t blocks, float* out);
  int row_header_bytes = 0;  // what all blocks of a row share, in front of them
};

const FormatSpec& format_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);

// Bytes of a row of `elements`; elements must be a multiple of the block (HYALITE_CHECK).
size_t row_bytes(DType dtype, int64_t elements);

}  // namespace hyalite

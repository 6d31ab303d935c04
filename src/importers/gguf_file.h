// One GGUF file (version 2 or 3, little-endian) in memory: its keys and its tensor table, checked to the last offset before anything is
// believed. Format: ggml's docs/gguf.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importers/gguf_metadata.h"
#include "tensor/dtype.h"

namespace hyalite {

struct GgufTensor {
  std::string_view name;  // in the file's bytes
  DType dtype = DType::f32;
  int rank = 0;
  std::array<int64_t, 4> dims{};  // as the file orders them: the contiguous dimension first
  uint64_t offset = 0;            // from the start of the file; aligned, and [offset, offset + bytes) lies inside it
  uint64_t bytes = 0;
};

// The number that names a tensor type in a file; nothing for a format that GGUF has not.
std::optional<uint32_t> gguf_type_number(DType dtype);
// The file's name of a canonical tensor: "blk.0.attn_q" -> "blk.0.attn_q.weight".
std::string gguf_tensor_name(const std::string& canonical);
inline constexpr uint64_t kGgufDefaultAlignment = 32;

// Where what follows `bytes` bytes begins.
inline uint64_t gguf_aligned(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Immutable after parsing. Names and values are views: the bytes must outlive it.
struct GgufFile {
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;  // no two share a name or a byte
};

// Throws Error{invalid_model} (Error{unsupported} for a version or tensor type that Hyalite does not read) naming `name`, the key or
// tensor, and the offset. Takes memory in proportion to what the bytes hold, never to what they claim.
GgufFile parse_gguf(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace hyalite

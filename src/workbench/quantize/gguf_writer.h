// Writes one GGUF file (version 3) tensor by tensor, so that no more than one lies in memory. Format: ggml's docs/gguf.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "tensor/dtype.h"
#include "workbench/quantize/gguf_pairs.h"

namespace hyalite {

struct GgufTensorHeader {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> dims;  // rows first: the contiguous dimension last

  uint64_t bytes() const;
};

class GgufWriter {
 public:
  // Takes the room of the whole file and writes everything before the data. REQUIRES: every format has a number in GGUF and divides the
  // rows. Throws Error{io}.
  GgufWriter(const std::filesystem::path& path, const GgufPairs& pairs, std::vector<GgufTensorHeader> tensors, uint64_t alignment);

  void add(std::span<const uint8_t> data);  // of the next tensor, all of it
  void finish();                            // the file appears; REQUIRES: every tensor was added

 private:
  std::vector<GgufTensorHeader> tensors_;
  uint64_t alignment_;
  AtomicFile file_;
  size_t next_ = 0;
};

}  // namespace hyalite

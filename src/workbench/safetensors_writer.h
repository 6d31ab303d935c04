// Writes a safetensors file: its header first, then the tensors' bytes in the same order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"

namespace hyalite {

struct SafetensorsTensor {
  std::string name, dtype;  // dtype as the format spells it: F32, F16, BF16, U8
  std::vector<int64_t> dims;
  int64_t bytes = 0;
};

// Format: https://github.com/huggingface/safetensors. All errors are Error{io} naming `path`, and leave nothing behind.
class SafetensorsWriter {
 public:
  // Takes the whole file's room on the disk and writes the header. `producer` is its metadata's "format".
  SafetensorsWriter(const std::filesystem::path& path, std::string_view producer, std::span<const SafetensorsTensor> tensors);

  void write(std::span<const uint8_t> bytes) { file_.write(bytes); }
  void commit() { file_.commit(); }  // REQUIRES: the bytes of all tensors are written

 private:
  SafetensorsWriter(const std::filesystem::path& path, const std::string& header, uint64_t data_bytes);

  AtomicFile file_;
};

}  // namespace hyalite

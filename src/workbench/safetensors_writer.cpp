#include "workbench/safetensors_writer.h"

#include <bit>

#include "base/json.h"

namespace hyalite {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

// With its length before it, padded so that data begins at a multiple of 8.
std::string header_of(std::string_view producer, std::span<const SafetensorsTensor> tensors) {
  Json header = {{"__metadata__", {{"format", producer}}}};
  int64_t offset = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.dims}, {"data_offsets", {offset, offset + tensor.bytes}}};
    offset += tensor.bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

uint64_t bytes_of(std::span<const SafetensorsTensor> tensors) {
  uint64_t bytes = 0;
  for (const SafetensorsTensor& tensor : tensors) bytes += static_cast<uint64_t>(tensor.bytes);
  return bytes;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::string_view producer,
                                     std::span<const SafetensorsTensor> tensors)
    : SafetensorsWriter(path, header_of(producer, tensors), bytes_of(tensors)) {}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, const std::string& header, uint64_t data_bytes)
    : file_(path, header.size() + data_bytes) {
  file_.write({reinterpret_cast<const uint8_t*>(header.data()), header.size()});
}

}  // namespace hyalite

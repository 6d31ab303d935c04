#include "workbench/quantize/gguf_writer.h"

#include "base/error.h"
#include "importers/gguf_file.h"

namespace hyalite {
namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string header_of(const GgufPairs& pairs, const std::vector<GgufTensorHeader>& tensors, uint64_t alignment) {
  std::string bytes = "GGUF";
  append<uint32_t>(bytes, 3);
  append<uint64_t>(bytes, tensors.size());
  append<uint64_t>(bytes, pairs.size());
  bytes += pairs.bytes();
  uint64_t offset = 0;
  for (const GgufTensorHeader& tensor : tensors) {
    append<uint64_t>(bytes, tensor.name.size());
    bytes += tensor.name;
    append<uint32_t>(bytes, static_cast<uint32_t>(tensor.dims.size()));
    for (size_t i = tensor.dims.size(); i-- > 0;) append<int64_t>(bytes, tensor.dims[i]);
    append<uint32_t>(bytes, gguf_type_number(tensor.dtype).value());
    append<uint64_t>(bytes, offset);
    offset += gguf_aligned(tensor.bytes(), alignment);
  }
  bytes.resize(gguf_aligned(bytes.size(), alignment));
  return bytes;
}

uint64_t data_bytes(const std::vector<GgufTensorHeader>& tensors, uint64_t alignment) {
  uint64_t bytes = 0;
  for (const GgufTensorHeader& tensor : tensors) bytes += gguf_aligned(tensor.bytes(), alignment);
  return bytes;
}

}  // namespace

uint64_t GgufTensorHeader::bytes() const {
  uint64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) rows *= static_cast<uint64_t>(dims[i]);
  return rows * row_bytes(dtype, dims.back());
}

GgufWriter::GgufWriter(const std::filesystem::path& path, const GgufPairs& pairs, std::vector<GgufTensorHeader> tensors, uint64_t alignment)
    : tensors_(std::move(tensors)),
      alignment_(alignment),
      file_(path, header_of(pairs, tensors_, alignment).size() + data_bytes(tensors_, alignment)) {
  const std::string header = header_of(pairs, tensors_, alignment);
  file_.write({reinterpret_cast<const uint8_t*>(header.data()), header.size()});
}

void GgufWriter::add(std::span<const uint8_t> data) {
  HYALITE_CHECK(next_ < tensors_.size() && data.size() == tensors_[next_].bytes(), "data of a tensor");
  file_.write(data);
  const std::vector<uint8_t> padding(gguf_aligned(data.size(), alignment_) - data.size());
  file_.write(padding);
  ++next_;
}

void GgufWriter::finish() {
  HYALITE_CHECK(next_ == tensors_.size(), "a tensor was not added");
  file_.commit();
}

}  // namespace hyalite

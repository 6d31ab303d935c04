#include "workbench/packed/packed_checkpoint.h"

#include <algorithm>
#include <cstring>

#include "base/atomic_directory.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "importers/packed_config.h"
#include "tensor/affine.h"
#include "workbench/safetensors_writer.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

// A tensor of the file: the same bytes out of every run of `stride` bytes of a tensor of the model.
struct Part {
  std::string name, dtype;
  int element_bytes;
  std::vector<int64_t> dims;
  const uint8_t* from;
  int64_t count, bytes, stride;

  int64_t size() const { return count * bytes; }
};

const char* name_in_file(DType dtype) {
  if (dtype == DType::f32) return "F32";
  if (dtype == DType::f16) return "F16";
  return dtype == DType::bf16 ? "BF16" : nullptr;
}

void add_packed(const std::string& name, const WeightStore::Entry& entry, std::vector<Part>& parts) {
  const FormatSpec& format = format_of(entry.type.dtype);
  const int64_t rows = entry.type.dims[0].value(), columns = entry.type.dims[1].value();
  const bool whole_row = format.row_header_bytes > 0;
  const int64_t groups = whole_row ? 1 : columns / format.block_elements, count = rows * groups;
  const int64_t scale_bytes = whole_row ? 4 : 2, head = whole_row ? format.row_header_bytes : scale_bytes + 1;
  const int64_t stride = static_cast<int64_t>(row_bytes(entry.type.dtype, columns)) / groups, codes = stride - head;
  const std::vector<int64_t> by_group = whole_row ? std::vector<int64_t>{rows} : std::vector<int64_t>{rows, groups};
  parts.push_back({name + ".weight", "U8", 1, {rows, codes * groups}, entry.data + head, count, codes, stride});
  parts.push_back(
      {name + ".weight_scale", whole_row ? "F32" : "F16", static_cast<int>(scale_bytes), by_group, entry.data, count, scale_bytes, stride});
  parts.push_back({name + ".weight_zero_point", "U8", 1, by_group, entry.data + scale_bytes, count, 1, stride});
}

void add_plain(const std::string& name, const WeightStore::Entry& entry, std::vector<Part>& parts) {
  const char* dtype = name_in_file(entry.type.dtype);
  if (!dtype)
    throw Error(ErrorCode::invalid_argument, name,
                "is " + std::string(format_of(entry.type.dtype).name) + ", which a packed checkpoint does not hold");
  std::vector<int64_t> dims;
  for (const Dim& dim : entry.type.dims) dims.push_back(dim.value());
  const int64_t bytes = bytes_of(entry.type, {});
  parts.push_back({packed_name(name), dtype, format_of(entry.type.dtype).block_bytes, std::move(dims), entry.data, 1, bytes, bytes});
}

// Wide elements first, so that each lies at a multiple of its size.
std::vector<Part> parts_of(const ImportedModel& model) {
  std::vector<Part> parts;
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    const WeightStore::Entry* entry = model.weights.find(spec.name);
    if (!entry) continue;
    is_affine(entry->type.dtype) ? add_packed(spec.name, *entry, parts) : add_plain(spec.name, *entry, parts);
  }
  std::ranges::stable_sort(parts, std::greater<>(), &Part::element_bytes);
  return parts;
}

void write_part(const Part& part, SafetensorsWriter& file) {
  if (part.bytes == part.stride) {
    file.write({part.from, static_cast<size_t>(part.size())});
    return;
  }
  std::vector<uint8_t> gathered(static_cast<size_t>(part.size()));
  for (int64_t i = 0; i < part.count; ++i)
    std::memcpy(gathered.data() + i * part.bytes, part.from + i * part.stride, static_cast<size_t>(part.bytes));
  file.write(gathered);
}

// A packed checkpoint and nothing besides.
bool is_only_a_packed_checkpoint(const fs::path& directory) {
  constexpr const char* kParts[] = {"config.json", "tokenizer.json", "model.safetensors"};
  std::error_code error;
  const fs::path config = directory / "config.json";
  return fs::exists(config, error) && holds_only(directory, kParts) && is_packed_config(read_json_file(config.string()));
}

}  // namespace

void write_packed_checkpoint(const ImportedModel& model, const PackedOptions& options, const fs::path& directory,
                             const std::atomic<bool>* cancel) {
  const std::vector<Part> parts = parts_of(model);
  AtomicDirectory target(directory, is_only_a_packed_checkpoint);
  Json quantization = {{"type", name_of(options.type)}};
  if (options.type != PackedType::int8) quantization["group_size"] = options.group;
  target.write("config.json", packed_config_to_json(model.config, std::move(quantization)).dump(2) + '\n');
  target.write("tokenizer.json", tokenizer_spec_to_json(model.tokenizer).dump());
  std::vector<SafetensorsTensor> tensors;
  for (const Part& part : parts) tensors.push_back({part.name, part.dtype, part.dims, part.size()});
  SafetensorsWriter file(target.path() / "model.safetensors", "hyalite", tensors);
  for (const Part& part : parts) {
    throw_if_set(cancel);
    write_part(part, file);
  }
  file.commit();
  target.commit();
}

}  // namespace hyalite

#include "importers/safetensors.h"

#include <algorithm>

#include "base/error.h"
#include "importers/byte_reader.h"
#include "importers/json_fields.h"

namespace hyalite {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // as the format's own library
constexpr size_t kMaxRank = 8;
// A tensor has 7 values and one more for every dimension, so that this is enough for a hundred thousand of them in one file.
constexpr JsonLimits kHeaderLimits{.max_depth = 8, .max_bytes = kMaxHeader, .max_values = 1 << 20, .object = true};

struct DTypeName {
  std::string_view name;
  DType dtype;
};
constexpr DTypeName kDTypes[] = {{"F32", DType::f32}, {"F16", DType::f16},         {"BF16", DType::bf16},       {"F64", DType::f64},
                                 {"I8", DType::i8},   {"I16", DType::i16},         {"I32", DType::i32},         {"I64", DType::i64},
                                 {"U8", DType::u8},   {"F8_E4M3", DType::f8_e4m3}, {"F8_E5M2", DType::f8_e5m2}, {"BOOL", DType::u8}};

DType read_dtype(const JsonFields& fields) {
  const auto name = fields.string("dtype");
  if (!name) fields.refuse("dtype", "is missing");
  for (const DTypeName& row : kDTypes)
    if (row.name == *name) return row.dtype;
  fields.unsupported("dtype", "Hyalite has no element type \"" + *name + "\"");
}

// A list of at most `max` non-negative integers.
std::vector<int64_t> read_integers(const JsonFields& fields, const char* field, size_t max) {
  const Json* list = fields.find(field);
  if (!list || !list->is_array() || list->size() > max)
    fields.refuse(field, "expected a list of at most " + std::to_string(max) + " integers");
  std::vector<int64_t> values;
  for (const Json& item : *list) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > uint64_t{1} << 62)
      fields.refuse(field, "holds " + item.dump() + ", expected integers from 0 to 2^62");
    values.push_back(item.get<int64_t>());
  }
  return values;
}

StoredTensor read_tensor(const std::string& name, const JsonFields& fields, uint64_t data, uint64_t file_size) {
  StoredTensor tensor;
  tensor.name = name;
  tensor.dtype = read_dtype(fields);
  tensor.dims = read_integers(fields, "shape", kMaxRank);
  const auto offsets = read_integers(fields, "data_offsets", 2);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) fields.refuse("data_offsets", "expected [begin, end] with begin <= end");
  const auto begin = static_cast<uint64_t>(offsets[0]), end = static_cast<uint64_t>(offsets[1]);
  if (end > file_size - data)
    fields.refuse("data_offsets",
                  "end at " + std::to_string(end) + ", but the file has " + std::to_string(file_size - data) + " bytes of data");
  const auto bytes = dense_bytes(tensor.dtype, tensor.dims);
  if (!bytes || *bytes != end - begin)
    fields.refuse("data_offsets", "span " + std::to_string(end - begin) + " bytes, but the shape needs " +
                                      (bytes ? std::to_string(*bytes) : "more than 2^62"));
  tensor.offset = data + begin;
  tensor.bytes = *bytes;
  return tensor;
}

// Words about the file; the format knows no other kind of value.
void check_metadata(const Json& metadata, const std::string& where) {
  const JsonFields fields(metadata, where);
  for (const auto& [key, value] : metadata.items())
    if (!value.is_string()) fields.refuse(key.c_str(), "is " + std::string(value.type_name()) + ", not a string");
}

}  // namespace

std::vector<StoredTensor> parse_safetensors(std::span<const uint8_t> bytes, const std::string& file) {
  ByteReader in(bytes, file);
  const auto length = in.read<uint64_t>("header length");
  if (length > kMaxHeader || length > in.left())
    throw Error(ErrorCode::invalid_model, file,
                "header length at offset 0 is " + std::to_string(length) + ", at most " + std::to_string(std::min(kMaxHeader, in.left())) +
                    " is possible");
  const auto text = in.take(length, "header");
  const Json header = parse_json({reinterpret_cast<const char*>(text.data()), text.size()}, file + ": header", kHeaderLimits);
  std::vector<StoredTensor> tensors;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      check_metadata(value, file + ": __metadata__");
      continue;
    }
    tensors.push_back(read_tensor(name, JsonFields(value, file + ": tensor " + name), in.offset(), bytes.size()));
  }
  check_distinct(tensors, file);
  return tensors;
}

void check_covered(std::span<const uint8_t> bytes, const std::vector<StoredTensor>& tensors, const std::string& file) {
  ByteReader in(bytes, file);
  uint64_t end = sizeof(uint64_t) + in.read<uint64_t>("header length");
  const auto refuse_gap = [&](uint64_t next) {
    throw Error(ErrorCode::invalid_model, file,
                std::to_string(next - end) + " bytes at offset " + std::to_string(end) + " belong to no tensor of the header");
  };
  for (const StoredTensor* tensor : by_offset(tensors)) {
    if (tensor->offset != end) refuse_gap(tensor->offset);
    end += tensor->bytes;
  }
  if (end != bytes.size()) refuse_gap(bytes.size());
}

}  // namespace hyalite

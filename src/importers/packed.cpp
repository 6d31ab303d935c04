// Importer of packed checkpoints (packed_config.h).
#include <cstring>

#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "importers/found_tensor.h"
#include "importers/importer.h"
#include "importers/json_fields.h"
#include "importers/packed_config.h"
#include "importers/remarks.h"
#include "importers/stored_tensor.h"
#include "importers/weight_files.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

constexpr JsonLimits kConfigLimits{.max_bytes = 1 << 20, .max_values = 1 << 16, .object = true};

bool recognizes(const fs::path& path) {
  std::error_code error;
  const fs::path config = path / "config.json";
  if (!fs::is_directory(path, error) || !fs::exists(config, error)) return false;
  try {
    return is_packed_config(read_json_file(config.string(), kConfigLimits));
  } catch (const Error&) {
    return false;  // another importer says what is wrong with it
  }
}

class PackedWeights {
 public:
  PackedWeights(const fs::path& directory, ImportedModel& model)
      : directory_(directory), files_(open_weight_files(directory, model.files)), model_(model) {}

  void add_all() {
    for (const TensorSpec& spec : tensor_specs(model_.config)) add(spec);
    if (files_.fault) throw *files_.fault;
    note_unused_tensors(unused_names(files_, used_), "blk.", directory_.string(), model_.remarks);
  }

 private:
  void add(const TensorSpec& spec) {
    const std::string name = packed_name(spec.name);
    const FoundTensor& tensor = take(name);
    if (tensor.dtype == DType::u8 && spec.dims.size() == 2) return add_packed(spec, tensor);
    if (!format_of(tensor.dtype).is_float || tensor.dtype == DType::f64)
      throw Error(ErrorCode::invalid_model, tensor.where(),
                  "has elements of type " + std::string(format_of(tensor.dtype).name) + ", expected F32, F16, BF16 or packed codes");
    check_shape(tensor, spec);
    if (tensor.offset % format_of(tensor.dtype).block_bytes)
      add_floats(model_.weights, spec.name, tensor, decode_to_float(tensor));
    else
      add_weight(model_.weights, spec, tensor);
  }

  const FoundTensor& take(const std::string& name) {
    const auto found = files_.tensors.find(name);
    if (found == files_.tensors.end()) throw Error(ErrorCode::invalid_model, directory_.string() + ": tensor " + name, "is missing");
    used_.push_back(name);
    return found->second;
  }

  // A companion of a packed tensor.
  const FoundTensor& take(const std::string& name, DType dtype, const std::vector<int64_t>& dims) {
    const FoundTensor& tensor = take(name);
    if (tensor.dtype != dtype || tensor.dims != dims)
      throw Error(ErrorCode::invalid_model, tensor.where(),
                  "is " + std::string(format_of(tensor.dtype).name) + " of shape " + dims_to_string(tensor.dims) + ", expected " +
                      std::string(format_of(dtype).name) + " of shape " + dims_to_string(dims));
    return tensor;
  }

  void add_packed(const TensorSpec& spec, const FoundTensor& codes) {
    const int64_t rows = spec.dims[0], columns = spec.dims[1];
    if (codes.dims == spec.dims && columns % format_of(DType::int8).block_elements == 0) {
      const FoundTensor &scales = take(spec.name + ".weight_scale", DType::f32, {rows}),
                        &zeros = take(spec.name + ".weight_zero_point", DType::u8, {rows});
      return join(spec, DType::int8, codes, scales, zeros);
    }
    if (codes.dims != std::vector<int64_t>{rows, columns / 2} || columns % 2)
      throw Error(ErrorCode::invalid_model, codes.where(),
                  "has codes of shape " + dims_to_string(codes.dims) + ", which hold no " + dims_to_string(spec.dims));
    const FoundTensor& scales = take(spec.name + ".weight_scale");
    for (DType dtype : {DType::int4_g32, DType::int4_g64, DType::int4_g128}) {
      const int64_t group = format_of(dtype).block_elements;
      const std::vector<int64_t> dims{rows, columns / group};
      if (columns % group || scales.dims != dims || scales.dtype != DType::f16) continue;
      return join(spec, dtype, codes, scales, take(spec.name + ".weight_zero_point", DType::u8, dims));
    }
    throw Error(ErrorCode::invalid_model, scales.where(),
                "is " + std::string(format_of(scales.dtype).name) + " of shape " + dims_to_string(scales.dims) +
                    ", expected f16 with one scale for each 32, 64 or 128 columns");
  }

  // Puts codes, scales and zero points of every row together as the format wants them.
  void join(const TensorSpec& spec, DType dtype, const FoundTensor& codes, const FoundTensor& scales, const FoundTensor& zeros) {
    const FormatSpec& format = format_of(dtype);
    const int64_t rows = spec.dims[0], columns = spec.dims[1];
    std::vector<uint8_t> bytes(static_cast<size_t>(rows) * row_bytes(dtype, columns));
    const bool whole_row = format.row_header_bytes > 0;
    const int64_t groups = rows * (whole_row ? 1 : columns / format.block_elements);
    const size_t code_bytes = static_cast<size_t>(spec.dims[0] * codes.dims[1] / groups);
    const size_t scale_bytes = format_of(scales.dtype).block_bytes, head = whole_row ? format.row_header_bytes : scale_bytes + 1;
    uint8_t* to = bytes.data();
    for (int64_t group = 0; group < groups; ++group, to += head + code_bytes) {
      std::memcpy(to, scales.data() + group * scale_bytes, scale_bytes);
      to[scale_bytes] = zeros.data()[group];
      std::memcpy(to + head, codes.data() + group * code_bytes, code_bytes);
    }
    model_.weights.add_owned(spec.name, {dtype, {Dim(rows), Dim(columns)}}, codes.source, std::move(bytes));
    for (const FoundTensor* read : {&codes, &scales, &zeros}) read->file->release(read->offset, *dense_bytes(read->dtype, read->dims));
  }

  const fs::path& directory_;
  WeightFiles files_;
  ImportedModel& model_;
  std::vector<std::string> used_;
};

ImportedModel import(const fs::path& path, const ImportOptions& options) {
  const std::string config_path = (path / "config.json").string(), tokenizer_path = (path / "tokenizer.json").string();
  ImportedModel model;
  model.format = "packed";
  model.config = packed_config_from_json(read_source_json(config_path, kConfigLimits, model.files), config_path);
  model.tokenizer = tokenizer_spec_from_json(read_source_json(tokenizer_path, {}, model.files), tokenizer_path);
  model.tokenizer.file = model.tokenizer.template_file = tokenizer_path;
  note_larger_tokenizer(model.tokenizer.pieces.size(), model.config.vocab, model.remarks);
  if (options.weights) PackedWeights(path, model).add_all();
  return model;
}

}  // namespace

const Importer importer_packed{"packed", recognizes, import};

}  // namespace hyalite

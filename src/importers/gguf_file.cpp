#include "importers/gguf_file.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "importers/byte_reader.h"

namespace hyalite {
namespace {

constexpr uint64_t kMaxKeyLength = 65535, kMaxTensorName = 255;
constexpr uint64_t kMinPairBytes = 8 + 1 + 4 + 1, kMinTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr uint64_t kMinAlignment = 8, kMaxAlignment = 1 << 20;

// Tensor types by their number in the file; numbers that are absent were removed from the format or are younger than this table.
struct TypeNumber {
  uint32_t number;
  DType dtype;
};
constexpr TypeNumber kTensorTypes[] = {
    {0, DType::f32},     {1, DType::f16},    {2, DType::q4_0},     {3, DType::q4_1},    {6, DType::q5_0},     {7, DType::q5_1},
    {8, DType::q8_0},    {9, DType::q8_1},   {10, DType::q2_k},    {11, DType::q3_k},   {12, DType::q4_k},    {13, DType::q5_k},
    {14, DType::q6_k},   {15, DType::q8_k},  {16, DType::iq2_xxs}, {17, DType::iq2_xs}, {18, DType::iq3_xxs}, {19, DType::iq1_s},
    {20, DType::iq4_nl}, {21, DType::iq3_s}, {22, DType::iq2_s},   {23, DType::iq4_xs}, {24, DType::i8},      {25, DType::i16},
    {26, DType::i32},    {27, DType::i64},   {28, DType::f64},     {29, DType::iq1_m},  {30, DType::bf16},    {34, DType::tq1_0},
    {35, DType::tq2_0},  {39, DType::mxfp4}, {40, DType::nvfp4},
};

// A count of things of at least `min_bytes` each.
uint64_t read_count(ByteReader& in, const char* what, uint64_t min_bytes) {
  const auto count = in.read<uint64_t>(what);
  if (count > in.left() / min_bytes) in.refuse(std::string(what) + " is " + std::to_string(count) + ", more than the file can hold");
  return count;
}

void check_version(ByteReader& in) {
  const auto version = in.read<uint32_t>("version");
  if (version == 2 || version == 3) return;
  const bool swapped = version && !(version & 0xffff);
  in.refuse(swapped ? "is a big-endian file; only little-endian ones are read"
                    : "has GGUF version " + std::to_string(version) + ", expected 2 or 3",
            ErrorCode::unsupported);
}

GgufValue read_array(ByteReader& in) {
  GgufValue value;
  value.is_array = true;
  value.type = static_cast<GgufType>(in.read<uint32_t>("element type"));
  const bool strings = value.type == GgufType::string;
  const uint64_t size = strings ? sizeof(uint64_t) : size_of(value.type);
  if (!size) in.refuse("has array elements of " + name_of(value.type));
  value.count = read_count(in, "array length", size);
  if (!strings) {
    value.bytes = in.take(value.count * size, "array");
    return value;
  }
  ByteReader start = in;
  const uint64_t begin = in.offset();
  for (uint64_t i = 0; i < value.count; ++i) in.take(in.read<uint64_t>("string length"), "string");
  value.bytes = start.take(in.offset() - begin, "array");
  return value;
}

GgufValue read_value(ByteReader& in) {
  GgufValue value;
  value.type = static_cast<GgufType>(in.read<uint32_t>("value type"));
  if (value.type == GgufType::array) return read_array(in);
  if (value.type == GgufType::string) {
    value.bytes = in.take(in.read<uint64_t>("string length"), "string");
  } else if (const uint64_t size = size_of(value.type)) {
    value.bytes = in.take(size, "value");
  } else {
    in.refuse("has a value of " + name_of(value.type));
  }
  return value;
}

void read_metadata(ByteReader& in, uint64_t pairs, GgufMetadata& metadata) {
  for (uint64_t i = 0; i < pairs; ++i) {
    in.set_context({}, {});
    const auto key = in.take_string(kMaxKeyLength, "key " + std::to_string(i + 1) + " of " + std::to_string(pairs));
    in.set_context("key", key);
    if (!metadata.add(key, read_value(in))) in.refuse("duplicate key");
  }
  in.set_context({}, {});
}

DType read_tensor_type(ByteReader& in) {
  const auto number = in.read<uint32_t>("type");
  for (const TypeNumber& type : kTensorTypes)
    if (type.number == number) return type.dtype;
  in.refuse("has tensor type " + std::to_string(number) + ", which Hyalite does not know", ErrorCode::unsupported);
}

// Shape and size. `bytes` stays below 2^63.
void read_shape(ByteReader& in, GgufTensor& tensor) {
  const auto rank = in.read<uint32_t>("number of dimensions");
  if (rank < 1 || rank > tensor.dims.size()) in.refuse("has " + std::to_string(rank) + " dimensions, expected 1 to 4");
  tensor.rank = static_cast<int>(rank);
  int64_t elements = 1;
  for (int i = 0; i < tensor.rank; ++i) {
    const auto dim = in.read<uint64_t>("dimension");
    tensor.dims[i] = static_cast<int64_t>(dim);
    if (tensor.dims[i] < 1 || __builtin_mul_overflow(elements, tensor.dims[i], &elements))
      in.refuse("dimension " + std::to_string(dim) + " is zero or makes the size overflow");
  }
  tensor.dtype = read_tensor_type(in);
  const FormatSpec& format = format_of(tensor.dtype);
  if (tensor.dims[0] % format.block_elements)
    in.refuse("has rows of " + std::to_string(tensor.dims[0]) + " values, which the block of " + std::to_string(format.block_elements) +
              " of " + std::string(format.name) + " does not divide");
  int64_t bytes;
  if (__builtin_mul_overflow(elements / format.block_elements, int64_t{format.block_bytes}, &bytes)) in.refuse("size overflows");
  tensor.bytes = static_cast<uint64_t>(bytes);
}

GgufTensor read_tensor(ByteReader& in, uint64_t alignment) {
  GgufTensor tensor;
  in.set_context("tensor table", {});
  tensor.name = in.take_string(kMaxTensorName, "tensor name");
  in.set_context("tensor", tensor.name);
  read_shape(in, tensor);
  tensor.offset = in.read<uint64_t>("offset");
  if (tensor.offset % alignment)
    in.refuse("data offset " + std::to_string(tensor.offset) + " is no multiple of the alignment " + std::to_string(alignment));
  return tensor;
}

uint64_t alignment_of(const GgufMetadata& metadata) {
  const uint64_t alignment = metadata.unsigned_integer("general.alignment").value_or(kGgufDefaultAlignment);
  if (!std::has_single_bit(alignment) || alignment < kMinAlignment || alignment > kMaxAlignment)
    metadata.refuse("general.alignment", "is " + std::to_string(alignment) + ", expected a power of two from 8 to 2^20");
  return alignment;
}

[[noreturn]] void refuse_tensor(const std::string& file, const GgufTensor& tensor, const std::string& message) {
  throw Error(ErrorCode::invalid_model, file + ": tensor " + std::string(tensor.name), message);
}

// Turns offsets from the start of the data section into offsets from the start of the file.
void place_tensors(std::vector<GgufTensor>& tensors, uint64_t data, uint64_t file_size, const std::string& file) {
  for (GgufTensor& tensor : tensors) {
    const uint64_t space = data < file_size ? file_size - data : 0;
    if (tensor.offset > space || tensor.bytes > space - tensor.offset) {
      refuse_tensor(file, tensor,
                    "needs " + std::to_string(tensor.bytes) + " bytes at offset " + std::to_string(tensor.offset) +
                        " of the data, which begins at " + std::to_string(data) + ", but the file ends at " + std::to_string(file_size));
    }
    tensor.offset += data;
  }
}

// Tensors follow each other without holes: one would mean that a tensor has another type or shape than its bytes.
void check_laid_out(const std::vector<GgufTensor>& tensors, uint64_t data, uint64_t alignment, const std::string& file) {
  std::unordered_set<std::string_view> names;
  std::vector<const GgufTensor*> by_offset;
  for (const GgufTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) refuse_tensor(file, tensor, "duplicate tensor name");
    by_offset.push_back(&tensor);
  }
  std::sort(by_offset.begin(), by_offset.end(), [](auto* a, auto* b) { return a->offset < b->offset; });
  uint64_t end = data;
  for (const GgufTensor* tensor : by_offset) {
    if (tensor->offset < end) refuse_tensor(file, *tensor, "overlaps the tensor before it at offset " + std::to_string(tensor->offset));
    if (tensor->offset > gguf_aligned(end, alignment))
      refuse_tensor(file, *tensor,
                    "begins at offset " + std::to_string(tensor->offset) + ", but the tensor before it ends at " + std::to_string(end));
    end = tensor->offset + tensor->bytes;
  }
}

}  // namespace

std::optional<uint32_t> gguf_type_number(DType dtype) {
  for (const TypeNumber& type : kTensorTypes)
    if (type.dtype == dtype) return type.number;
  return std::nullopt;
}

std::string gguf_tensor_name(const std::string& canonical) {
  if (canonical == "rope_factors") return "rope_freqs.weight";
  return canonical.ends_with(".bias") ? canonical : canonical + ".weight";
}

GgufFile parse_gguf(std::span<const uint8_t> bytes, const std::string& name) {
  ByteReader in(bytes, name);
  const auto magic = in.take(4, "magic number");
  if (std::memcmp(magic.data(), "GGUF", 4) != 0)
    throw Error(ErrorCode::invalid_model, name, "is no GGUF file: it does not begin with GGUF");
  check_version(in);
  const uint64_t tensors = read_count(in, "tensor count", kMinTensorBytes), pairs = read_count(in, "key count", kMinPairBytes);
  GgufFile file{GgufMetadata(name), {}};
  read_metadata(in, pairs, file.metadata);
  const uint64_t alignment = alignment_of(file.metadata);
  for (uint64_t i = 0; i < tensors; ++i) file.tensors.push_back(read_tensor(in, alignment));
  const uint64_t data = gguf_aligned(in.offset(), alignment);
  place_tensors(file.tensors, data, bytes.size(), name);
  check_laid_out(file.tensors, data, alignment, name);
  return file;
}

}  // namespace hyalite

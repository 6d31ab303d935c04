#include "importers/npz.h"

#include <zlib.h>

#include <charconv>

#include "importers/byte_reader.h"
#include "importers/zip_directory.h"

namespace hyalite {
namespace {

struct DescrName {
  std::string_view name;
  DType dtype;
};
constexpr DescrName kDescrs[] = {{"<f4", DType::f32},     {"<f2", DType::f16},     {"<f8", DType::f64},     {"<V2", DType::bf16},
                                 {"<V1", DType::f8_e4m3}, {"|V1", DType::f8_e4m3}, {"<f1", DType::f8_e5m2}, {"|f1", DType::f8_e5m2},
                                 {"|V2", DType::bf16},    {"|i1", DType::i8},      {"|u1", DType::u8},      {"|b1", DType::u8},
                                 {"<i2", DType::i16},     {"<i4", DType::i32},     {"<i8", DType::i64}};
constexpr size_t kMaxRank = 8;

// The header is a Python dict with exactly three keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class NpyHeader {
 public:
  NpyHeader(std::string_view text, const ByteReader& in) : text_(text), in_(in) {}

  void read(StoredTensor& tensor) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const auto key = quoted();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        tensor.dtype = dtype();
      } else if (key == "fortran_order" && !order) {
        order = true;
        fortran_ = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        tensor.dims = tuple();
      } else {
        refuse("unexpected key '" + std::string(key) + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty() || !descr || !order || !shape) refuse("expected descr, fortran_order and shape");
    if (fortran_ && tensor.dims.size() > 1) in_.refuse("is in Fortran order; save it in C order", ErrorCode::unsupported);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { in_.refuse("has a broken .npy header: " + why); }

  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(std::string("expected '") + c + "'");
  }
  std::string_view quoted() {
    expect('\'');
    const size_t end = text_.find('\'');
    if (end == std::string_view::npos) refuse("a string does not end");
    const auto result = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return result;
  }
  DType dtype() {
    const auto name = quoted();
    for (const DescrName& row : kDescrs)
      if (row.name == name) return row.dtype;
    in_.refuse("has element type '" + std::string(name) + "', which Hyalite does not read", ErrorCode::unsupported);
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    refuse("expected True or False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> dims;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0 || dims.size() == kMaxRank) refuse("expected at most 8 sizes");
      dims.push_back(dim);
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  std::string_view text_;
  const ByteReader& in_;
  bool fortran_ = false;
};

StoredTensor read_array(const ZipMember& member, std::span<const uint8_t> bytes, const std::string& file) {
  ByteReader in(bytes.subspan(member.offset, member.bytes), file);
  in.set_context("member", member.name);
  if (member.method != 0) in.refuse("is compressed; save with numpy.savez, which stores", ErrorCode::unsupported);
  const auto magic = in.take(6, ".npy magic number");
  if (std::memcmp(magic.data(), "\x93NUMPY", 6) != 0) in.refuse("is no .npy array");
  const auto major = in.read<uint8_t>("version");
  in.read<uint8_t>("version");
  if (major < 1 || major > 3) in.refuse("has .npy version " + std::to_string(major), ErrorCode::unsupported);
  const uint64_t length = major == 1 ? in.read<uint16_t>("header length") : in.read<uint32_t>("header length");
  const auto header = in.take(length, ".npy header");
  StoredTensor tensor;
  tensor.name = member.name.substr(0, member.name.size() - std::strlen(".npy"));
  NpyHeader({reinterpret_cast<const char*>(header.data()), header.size()}, in).read(tensor);
  const auto needed = dense_bytes(tensor.dtype, tensor.dims);
  if (!needed || *needed != in.left())
    in.refuse("holds " + std::to_string(in.left()) + " bytes of data, but its shape needs " +
              (needed ? std::to_string(*needed) : "more than 2^62"));
  if (::crc32_z(0, bytes.data() + member.offset, member.bytes) != member.crc32)
    in.refuse("is damaged: its bytes have another checksum (CRC-32) than the zip directory says");
  tensor.offset = member.offset + in.offset();
  tensor.bytes = *needed;
  return tensor;
}

}  // namespace

std::vector<StoredTensor> parse_npz(std::span<const uint8_t> bytes, const std::string& file) {
  std::vector<StoredTensor> tensors;
  for (const ZipMember& member : read_zip_directory(bytes, file))
    if (member.name.ends_with(".npy")) tensors.push_back(read_array(member, bytes, file));
  check_distinct(tensors, file);
  return tensors;
}

}  // namespace hyalite

#include "importers/npz.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/mapped_file.h"
#include "importers/testing/npz_writer.h"
#include "importers/testing/refusal.h"

namespace hyalite {
namespace {

using namespace std::string_literals;
using testing::little_endian;
using testing::npy_bytes;
using testing::patched;
using testing::ZipWriter;

std::vector<StoredTensor> parse(const std::string& bytes) {
  return parse_npz({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "model.npz");
}
std::string refusal(const std::string& bytes) {
  return testing::refusal_of([&] { parse(bytes); });
}
std::string refusal_of_array(const std::string& npy) {
  return refusal(ZipWriter().add("a.npy", npy).bytes());
}

TEST(Npz, ReadsWhatNumpyWrites) {
  const auto file = MappedFile::open(std::string(HYALITE_SOURCE_DIR) + "/tests/formats/small.npz");
  const auto tensors = parse_npz(file->bytes(), "small.npz");
  ASSERT_EQ(tensors.size(), 6u);
  EXPECT_EQ(tensors[0].name, "a.weight");
  EXPECT_EQ(tensors[0].dims, (std::vector<int64_t>{2, 3}));
  float last;
  std::memcpy(&last, file->bytes().data() + tensors[0].offset + 20, sizeof last);
  EXPECT_EQ(last, 5);
  EXPECT_EQ(tensors[1].dtype, DType::f16);
  EXPECT_TRUE(tensors[2].dims.empty());
  // 1.5, -2 in the types of ml_dtypes.
  const std::pair<DType, std::string> foreign[] = {
      {DType::bf16, "\xc0\x3f\x00\xc0"s}, {DType::f8_e4m3, "\x3c\xc0"s}, {DType::f8_e5m2, "\x3e\xc0"s}};
  for (size_t i = 0; i < 3; ++i) {
    const StoredTensor& tensor = tensors[3 + i];
    EXPECT_EQ(tensor.dtype, foreign[i].first);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()) + tensor.offset, tensor.bytes), foreign[i].second);
  }
}

TEST(Npz, PassesOverOtherMembers) {
  EXPECT_EQ(parse(ZipWriter().add("readme.txt", "hello").add("w.npy", npy_bytes("<V2", "(1,)", "ab")).bytes()).at(0).dtype, DType::bf16);
}

TEST(Npz, RefusesArrays) {
  const std::string four(4, '\0');
  EXPECT_EQ(refusal_of_array(npy_bytes("<f4", "(1,)", four)), "");
  struct Case {
    std::string npy, expected;
  };
  const Case cases[] = {
      {"", "magic"},
      {"\x93NUMPX\1\1", "no .npy array"},
      {patched(npy_bytes("<f4", "(1,)", four), 6, "\7"), "version 7"},
      {patched(npy_bytes("<f4", "(1,)", four), 8, "\xff\xff"), "header"},
      {npy_bytes(">f4", "(1,)", four), "'>f4'"},
      {npy_bytes("|O", "(1,)", four), "'|O'"},
      {npy_bytes("<f4", "(2,)", four), "4 bytes"},
      {npy_bytes("<f4", "(4294967296, 4294967296, 4)", four), "2^62"},
      {npy_bytes("<f4", "(-1,)", four), "sizes"},
      {npy_bytes("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", four), "sizes"},
      {npy_bytes("<f4", "(99999999999999999999,)", four), "sizes"},
      {npy_bytes("<f4", "1", four), "'('"},
      {npy_bytes("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", four), "Fortran"},
      {npy_bytes("{'descr': '<f4', 'shape': (1,)}", four), "expected descr"},
      {npy_bytes("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four), "unexpected key"},
      {npy_bytes("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", four), "True or False"},
      {npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", four), "header"},
      {npy_bytes("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four), "header"},
      {npy_bytes("", four), "header"},
  };
  for (const Case& c : cases) {
    const std::string message = refusal_of_array(c.npy);
    EXPECT_NE(message.find("model.npz: member a.npy"), std::string::npos) << message;
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.expected << ": " << message;
  }
}

TEST(Npz, RefusesDamagedMembers) {
  const std::string array = npy_bytes("<f4", "(2,)", std::string(8, '\1'));
  const std::string whole = ZipWriter().add("a.npy", array).bytes();
  EXPECT_EQ(refusal(whole), "");
  const size_t last = whole.find(array) + array.size() - 1;
  EXPECT_NE(refusal(patched(whole, last, "\2")).find("model.npz: member a.npy: is damaged"), std::string::npos);
  EXPECT_EQ(refusal(ZipWriter().add("notes", "x").add("a.npy", array).bytes()), "");
}

// Before any member is read: the first is damaged too, and entries that all name one member would make the work quadratic.
TEST(Npz, RefusesMembersThatOverlap) {
  const std::string array = npy_bytes("<f4", "(1,)", std::string(4, '\0'));
  ZipWriter w;
  w.add("a.npy", array).add("b.npy", array).add("notes", "");
  const std::string whole = w.bytes();
  ASSERT_EQ(refusal(whole), "");
  const size_t first = w.directory_offset(), second = first + 46 + 5, third = second + 46 + 5;
  const std::string damaged = patched(whole, whole.find(array) + array.size() - 1, "\1");
  for (const auto& [entry, name] : {std::pair{second, "member b.npy"}, {third, "member notes"}}) {
    const std::string message = refusal(patched(damaged, entry + 42, little_endian(uint32_t{0})));
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find("overlaps member"), std::string::npos) << message;
  }
}

TEST(Npz, RefusesArchives) {
  const std::string array = npy_bytes("<f4", "(1,)", std::string(4, '\0'));
  ZipWriter w;
  w.add("a.npy", array);
  const std::string whole = w.bytes();
  const size_t directory = w.directory_offset(), end = whole.size() - 22;
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(std::string(100000, 'x')).find("directory"), std::string::npos);
  EXPECT_NE(refusal(ZipWriter().add("a.npy", array, 8).bytes()).find("compressed"), std::string::npos);
  EXPECT_NE(refusal(ZipWriter().add("a.npy", array, 0, 1).bytes()).find("encrypted"), std::string::npos);
  EXPECT_NE(refusal(ZipWriter().add("a.npy", array).add("a.npy", array).bytes()).find("duplicate"), std::string::npos);
  EXPECT_NE(refusal(patched(whole, end + 10, little_endian(uint16_t{9999}))), "");        // more entries than fit
  EXPECT_NE(refusal(patched(whole, end + 10, little_endian(uint16_t{0xffff}))), "");      // a 64-bit directory that is not there
  EXPECT_NE(refusal(patched(whole, end + 16, little_endian(uint32_t{0x7fffffff}))), "");  // directory past the end
  EXPECT_NE(refusal(patched(whole, directory, "XX")), "");                                // no entry where one should be
  EXPECT_NE(refusal(patched(whole, directory + 20, little_endian(uint64_t{0x0fffffff0fffffff}))), "");  // member past the end
  EXPECT_NE(refusal(patched(whole, directory + 42, little_endian(uint32_t{0x7fffffff}))), "");          // local header past the end
  EXPECT_NE(refusal(patched(whole, directory + 42, little_endian(uint32_t{4}))), "");                   // no local header there
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace hyalite

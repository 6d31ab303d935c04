#include "importers/safetensors.h"

#include <gtest/gtest.h>

#include "importers/testing/refusal.h"
#include "importers/testing/safetensors_writer.h"

namespace hyalite {
namespace {

using testing::little_endian;
using testing::SafetensorsWriter;

std::vector<StoredTensor> parse(const std::string& bytes) {
  const std::span<const uint8_t> file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  std::vector<StoredTensor> tensors = parse_safetensors(file, "model.safetensors");
  check_covered(file, tensors, "model.safetensors");
  return tensors;
}
std::string refusal(const std::string& bytes) {
  return testing::refusal_of([&] { parse(bytes); });
}

SafetensorsWriter two_tensors() {
  SafetensorsWriter w;
  w.add_f32("a", {2, 3}).add("b", "BF16", {4}, std::string(8, '\1'));
  return w;
}

TEST(Safetensors, ReadsTheTable) {
  const std::string bytes = two_tensors().bytes();
  const auto tensors = parse(bytes);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors[0].offset + 24, tensors[1].offset);
  EXPECT_EQ(tensors[1].dtype, DType::bf16);
  EXPECT_EQ(tensors[1].offset + tensors[1].bytes, bytes.size());
}

TEST(Safetensors, AcceptsScalarsAndEmptyTensors) {
  SafetensorsWriter w;
  w.add("scalar", "F32", {}, std::string(4, '\0')).add("none", "F16", {0, 5}, "");
  EXPECT_EQ(parse(w.bytes()).size(), 2u);
}

// T13.
TEST(Safetensors, RefusesHeaders) {
  const std::string whole = two_tensors().bytes();
  for (uint64_t length : {uint64_t{0}, uint64_t{7}, uint64_t{100'000'001}, uint64_t{1} << 63, ~uint64_t{0}, uint64_t{whole.size()}}) {
    const std::string message = refusal(testing::patched(whole, 0, little_endian(length)));
    EXPECT_NE(message.find("model.safetensors"), std::string::npos) << length << ": " << message;
  }
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("1234567"), "");
  EXPECT_NE(refusal(testing::safetensors_bytes("[1]", "")).find("expected an object"), std::string::npos);
  EXPECT_NE(refusal(testing::safetensors_bytes("{\"a\xff\": 1}", "")), "");
  EXPECT_NE(refusal(testing::safetensors_bytes("{\"a\":" + std::string(100000, '['), "")).find("nesting"), std::string::npos);
  EXPECT_NE(refusal(testing::safetensors_bytes("{} x", "")), "");
}

TEST(Safetensors, RefusesAHeaderOfTooManyValuesBeforeItIsBuilt) {
  std::string header = "{\"a\":[[]";
  for (int i = 0; i < 1 << 20; ++i) header += ",[]";
  EXPECT_NE(refusal(testing::safetensors_bytes(header, "")).find("holds more than 1048576 values"), std::string::npos);
}

// T11.
TEST(Safetensors, RefusesDuplicateKeys) {
  auto w = two_tensors();
  const std::string header = w.header().dump(), twice = header.substr(0, header.size() - 1) + ",\"a\":" + w.header()["a"].dump() + "}";
  const std::string message = refusal(testing::safetensors_bytes(twice, w.data()));
  EXPECT_NE(message.find("duplicate key \"a\""), std::string::npos) << message;
}

// T12.
TEST(Safetensors, MetadataIsAMapOfStrings) {
  const auto with_metadata = [](const std::string& value) { return testing::safetensors_bytes("{\"__metadata__\":" + value + "}", ""); };
  EXPECT_EQ(parse(with_metadata(R"({"format": "pt"})")).size(), 0u);
  EXPECT_NE(refusal(with_metadata(R"({"format": 5})")).find("__metadata__: format: is number, not a string"), std::string::npos);
  EXPECT_NE(refusal(with_metadata("[1]")).find("__metadata__"), std::string::npos);
}

TEST(Safetensors, RefusesRowsThatDoNotFit) {
  struct Case {
    const char *what, *tensor, *field, *value;
  };
  const Case cases[] = {
      {"begin after end", "a", "data_offsets", "[24, 0]"},
      {"past the end", "a", "data_offsets", "[0, 1099511627776]"},
      {"negative", "a", "data_offsets", "[-8, 24]"},
      {"three offsets", "a", "data_offsets", "[0, 24, 24]"},
      {"one offset", "a", "data_offsets", "[0]"},
      {"fraction", "a", "data_offsets", "[0.5, 24]"},
      {"2^64-1", "a", "data_offsets", "[0, 18446744073709551615]"},
      {"not a list", "a", "data_offsets", "\"0\""},
      {"unknown dtype", "a", "dtype", "\"Q9\""},
      {"dtype of a number", "a", "dtype", "5"},
      {"shape too large", "a", "shape", "[1099511627776, 1099511627776]"},
      {"shape larger than its data", "a", "shape", "[1000, 1000]"},
      {"negative shape", "a", "shape", "[-2, -3]"},
      {"shape of a number", "a", "shape", "6"},
      {"nine dimensions", "a", "shape", "[1, 1, 1, 1, 1, 1, 1, 2, 3]"},
      {"null shape", "a", "shape", "null"},
      {"overlap", "b", "data_offsets", "[0, 8]"},
      {"overlap by a byte", "b", "data_offsets", "[23, 31]"},
  };
  for (const Case& c : cases) {
    auto w = two_tensors();
    w.header()[c.tensor][c.field] = Json::parse(c.value);
    const std::string message = refusal(w.bytes());
    EXPECT_NE(message.find(std::string("model.safetensors: tensor ") + c.tensor), std::string::npos) << c.what << ": " << message;
  }
  auto w = two_tensors();
  w.header()["a"] = Json::parse("[1]");
  EXPECT_NE(refusal(w.bytes()).find("tensor a"), std::string::npos);
  w.header()["a"] = Json::parse("{}");
  EXPECT_NE(refusal(w.bytes()).find("tensor a"), std::string::npos);
}

TEST(Safetensors, RefusesBytesOfNoTensor) {
  const auto w = two_tensors();
  const std::string whole = w.bytes();
  EXPECT_NE(refusal(whole + "xxxx").find("model.safetensors: 4 bytes at offset " + std::to_string(whole.size())), std::string::npos);
  auto hole = w;
  hole.header().erase("a");
  EXPECT_NE(refusal(hole.bytes()).find("24 bytes at offset"), std::string::npos);
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string whole = two_tensors().bytes();
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace hyalite

#include "importers/gguf_file.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include "importers/testing/gguf_writer.h"
#include "importers/testing/refusal.h"

namespace hyalite {
namespace {

using testing::GgufWriter;
using testing::little_endian;
using testing::patched;
using testing::refusal_of;

std::span<const uint8_t> span_of(const std::string& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

std::string refusal(const std::string& bytes) {
  return refusal_of([&] { parse_gguf(span_of(bytes), "broken.gguf"); });
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

template <class... T>
std::string le(T... values) {
  return (little_endian(values) + ...);
}

constexpr uint64_t operator""_u(unsigned long long value) {
  return value;
}

TEST(GgufFile, ReadsKeysAndTensors) {
  GgufWriter writer = testing::tiny_llama();
  writer.u16("some.u16", 7).boolean("some.flag", true).array("some.floats", GgufType::f64, 2, le(0.5, 2.0));
  const std::string bytes = writer.bytes();
  const GgufFile file = parse_gguf(span_of(bytes), "x.gguf");
  const GgufMetadata& metadata = file.metadata;
  EXPECT_EQ(metadata.string("general.architecture"), "llama");
  EXPECT_EQ(metadata.unsigned_integer("some.u16"), 7u);
  EXPECT_EQ(metadata.boolean("some.flag"), true);
  EXPECT_EQ(metadata.number("llama.attention.layer_norm_rms_epsilon"), 1e-5);  // the double, not the float's long tail
  EXPECT_EQ(metadata.floats("some.floats"), (std::vector<float>{0.5f, 2.0f}));
  EXPECT_EQ(metadata.strings("tokenizer.ggml.tokens").at(255), "t255");
  EXPECT_EQ(metadata.integers("tokenizer.ggml.token_type").size(), 256u);
  EXPECT_FALSE(metadata.string("absent"));
  EXPECT_TRUE(metadata.strings("absent").empty());
  ASSERT_EQ(file.tensors.size(), 20u);
  EXPECT_EQ(file.tensors[0].name, "token_embd.weight");
  EXPECT_EQ(file.tensors[0].dims[1], 256);
  EXPECT_EQ(file.tensors[0].offset, writer.position("data:"));
  EXPECT_EQ(file.tensors[1].offset, file.tensors[0].offset + 256 * 32 * 4);
}

TEST(GgufFile, GettersCheckTypes) {
  GgufWriter writer = testing::tiny_llama();
  writer.array("wide", GgufType::u64, 1, le(~uint64_t{0})).f32("minus", -1);
  const std::string bytes = writer.bytes();
  const GgufFile file = parse_gguf(span_of(bytes), "x.gguf");
  const GgufMetadata& m = file.metadata;
  for (const std::string& message :
       {refusal_of([&] { m.string("llama.block_count"); }), refusal_of([&] { m.boolean("llama.block_count"); }),
        refusal_of([&] { m.integer("minus"); }), refusal_of([&] { m.number("general.name"); }),
        refusal_of([&] { m.strings("general.name"); }), refusal_of([&] { m.integer("wide"); }), refusal_of([&] { m.integers("wide"); }),
        refusal_of([&] { m.floats("wide"); }), refusal_of([&] { m.floats("tokenizer.ggml.tokens"); })}) {
    EXPECT_EQ(message.rfind("x.gguf: key ", 0), 0u) << message;
  }
}

// T06, T07, T08, T10 and the like: one field overwritten.
TEST(GgufFile, RefusesEveryBrokenField) {
  GgufWriter writer = testing::tiny_llama();
  const std::string whole = writer.bytes();
  ASSERT_EQ(refusal(whole), "");
  const std::string t = "blk.0.ffn_down.weight", u = "blk.1.ffn_down.weight";
  struct Case {
    const char* what;
    size_t position;
    std::string patch, expected;
  };
  const Case cases[] = {
      {"magic", 0, "GGXF", "GGUF"},
      {"version 99", 4, le(99u), "99"},
      {"big-endian", 4, le(0x03000000u), "big-endian"},
      {"version 0", 4, le(0u), "version 0"},
      {"2^60 tensors", 8, le(1_u << 60), "tensor count"},
      {"2^61 pairs", 16, le(1_u << 61), "key count"},
      {"key of 2^63", writer.position("key:general.name"), le(1_u << 63), "key"},
      {"string of 2^63", writer.position("value:general.name"), le(1_u << 63), "general.name"},
      {"value type 77", writer.position("value:general.name") - 4, le(77u), "general.name"},
      {"array of 2^60", writer.position("value:tokenizer.ggml.tokens") + 4, le(1_u << 60), "tokenizer.ggml.tokens"},
      {"array of arrays", writer.position("value:tokenizer.ggml.tokens"), le(9u), "tokenizer.ggml.tokens"},
      {"array of type 99", writer.position("value:tokenizer.ggml.tokens"), le(99u), "type 99"},
      {"string in array", writer.position("value:tokenizer.ggml.tokens") + 12, le(1_u << 62), "tokenizer.ggml.tokens"},
      {"name of 2^32", writer.position("name:" + t), le(1_u << 32), "tensor name"},
      {"0 dims", writer.position("rank:" + t), le(0u), t},
      {"5 dims", writer.position("rank:" + t), le(5u), t},
      {"9 dims", writer.position("rank:" + t), le(9u), t},
      {"10^6 dims", writer.position("rank:" + t), le(1000000u), t},
      {"2^32-1 dims", writer.position("rank:" + t), le(0xffffffffu), t},
      {"a dim of 0", writer.position("dims:" + t), le(0_u), t},
      {"dims overflow", writer.position("dims:" + t), le(1_u << 42, (1_u << 42) + 1), t},
      {"dims [2^64-1, 2]", writer.position("dims:" + t), le(~0_u, 2_u), t},
      {"bytes overflow", writer.position("dims:" + t), le(1_u << 31, 1_u << 31), t},
      {"more than the file", writer.position("dims:" + t), le(1_u << 20, 1_u << 20), t},
      {"row no block divides", writer.position("type:" + t), le(12u), t},
      {"type 9999", writer.position("type:" + t), le(9999u), t},
      {"removed type", writer.position("type:" + t), le(4u), t},
      {"offset past the end", writer.position("offset:" + t), le(1_u << 62), t},
      {"offset wraps", writer.position("offset:" + t), le(~0_u - 31), t},
      {"offset misaligned", writer.position("offset:" + t), le(33_u), t},
      {"overlap", writer.position("offset:" + t), whole.substr(writer.position("offset:" + u), 8), "the tensor before it"},
      {"smaller type", writer.position("type:" + t), le(1u), "the tensor before it ends"},
      {"duplicate name", writer.position("name:" + t) + 8, u, u},
  };
  const long before = peak_kib();
  for (const Case& c : cases) {
    const std::string message = refusal(patched(whole, c.position, c.patch));
    EXPECT_NE(message.find("broken.gguf"), std::string::npos) << c.what << ": " << message;
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.what << ": " << message;
  }
  EXPECT_LT(peak_kib() - before, 50 << 10);
}

TEST(GgufFile, RefusesThreeDimensionsThatWrap) {
  GgufWriter writer;
  writer.tensor("w", {4194305, 4194305, 211106198978564}, 0, "");
  EXPECT_NE(refusal(writer.bytes()).find("tensor w"), std::string::npos);
}

TEST(GgufFile, RefusesDuplicateKeys) {
  GgufWriter writer = testing::tiny_llama();
  writer.u32("llama.block_count", 3);
  EXPECT_NE(refusal(writer.bytes()).find("duplicate key"), std::string::npos);
}

TEST(GgufFile, RefusesBadAlignments) {
  for (uint32_t alignment : {0u, 4u, 48u, 1u << 30}) {
    GgufWriter writer = testing::tiny_llama();
    writer.u32("general.alignment", alignment);
    EXPECT_NE(refusal(writer.bytes()).find("general.alignment"), std::string::npos) << alignment;
  }
}

TEST(GgufFile, RefusesEveryTruncation) {
  const std::string whole = testing::tiny_llama(32).bytes();
  for (size_t size = 0; size < whole.size(); size += size < 4096 ? 1 : 97) EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  EXPECT_NE(refusal(whole.substr(0, whole.size() - 1)).find("output_norm.weight"), std::string::npos);
}

TEST(GgufFile, ReadsALargeVocabularyFast) {
  GgufWriter writer;
  writer.strings("tokens", std::vector<std::string>(1000000, "token")).u32("after", 5);
  const std::string bytes = writer.bytes();
  const auto start = std::chrono::steady_clock::now();
  const GgufFile file = parse_gguf(span_of(bytes), "x.gguf");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));  // some 2 ms where nothing else runs
  EXPECT_EQ(file.metadata.array_size("tokens"), 1000000u);
  EXPECT_EQ(file.metadata.integer("after"), 5);
}

}  // namespace
}  // namespace hyalite

#include "workbench/quantize/gguf_writer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "importers/gguf_file.h"
#include "importers/testing/files.h"

namespace hyalite {
namespace {

GgufPairs sample_pairs() {
  GgufPairs pairs;
  pairs.set_u32("a.count", 7);
  pairs.set_f32("a.real", 0.5f);
  pairs.set_boolean("a.flag", true);
  pairs.set_string("a.text", "hyalite");
  pairs.set_strings("a.words", {"one", "", "three"});
  pairs.set_f32s("a.reals", std::vector<float>{1, 2});
  pairs.set_i32s("a.ids", std::vector<int32_t>{-1, 1 << 30});
  pairs.set_booleans("a.flags", {true, false, true});
  return pairs;
}

class Written : public ::testing::Test {
 protected:
  std::shared_ptr<MappedFile> write(const GgufPairs& pairs, uint64_t alignment) const {
    const auto path = place_.path() / "out.gguf";
    GgufWriter writer(path, pairs, {{"x", DType::f32, {2, 3}}, {"y", DType::q8_0, {64}}}, alignment);
    writer.add(std::vector<uint8_t>(24, 1));
    writer.add(std::vector<uint8_t>(68, 2));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place_.path()), {}), 1) << "only the file in the making";
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.finish();
    auto map = MappedFile::open(path);
    std::filesystem::remove(path);
    return map;
  }

  testing::TemporaryDirectory place_;
};

TEST_F(Written, ReadsBack) {
  for (uint64_t alignment : {32, 256}) {
    GgufPairs pairs = sample_pairs();
    pairs.set_u32("general.alignment", static_cast<uint32_t>(alignment));
    const auto map = write(pairs, alignment);
    const GgufFile file = parse_gguf(map->bytes(), "out");
    const GgufMetadata& read = file.metadata;
    EXPECT_EQ(read.unsigned_integer("a.count"), 7u);
    EXPECT_EQ(read.number("a.real"), 0.5);
    EXPECT_EQ(read.boolean("a.flag"), true);
    EXPECT_EQ(read.string("a.text"), "hyalite");
    EXPECT_EQ(read.strings("a.words"), (std::vector<std::string_view>{"one", "", "three"}));
    EXPECT_EQ(read.floats("a.reals"), (std::vector<float>{1, 2}));
    EXPECT_EQ(read.integers("a.ids"), (std::vector<int64_t>{-1, 1 << 30}));
    EXPECT_EQ(read.integers("a.flags"), (std::vector<int64_t>{1, 0, 1}));
    ASSERT_EQ(file.tensors.size(), 2u);
    EXPECT_EQ(file.tensors[0].dims[0], 3);
    EXPECT_EQ(file.tensors[0].dims[1], 2);
    EXPECT_EQ(map->bytes()[file.tensors[1].offset + 67], 2);
    EXPECT_EQ(file.tensors[1].offset % alignment, 0u);
  }
}

TEST_F(Written, PairsAreCopiedBitForBit) {
  const auto map = write(sample_pairs(), 32);
  GgufPairs copy(parse_gguf(map->bytes(), "out").metadata);
  EXPECT_EQ(copy.bytes(), sample_pairs().bytes());
  copy.remove("a.words");
  copy.set_u32("a.count", 8);
  EXPECT_EQ(copy.size(), sample_pairs().size() - 1);
}

TEST_F(Written, NothingAppearsWithoutFinish) {
  {
    GgufWriter writer(place_.path() / "out.gguf", {}, {{"x", DType::f32, {4}}}, 32);
    EXPECT_THROW(writer.finish(), Error);
    EXPECT_THROW(writer.add(std::vector<uint8_t>(15)), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(place_.path()));
}

}  // namespace
}  // namespace hyalite

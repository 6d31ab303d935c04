#include "base/string_table.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(StringTable, KeepsStringsByIndex) {
  StringTable table = {"one", "", std::string_view("a\0b", 3)};
  table.push_back("last");
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0], "one");
  EXPECT_EQ(table[1], "");
  EXPECT_EQ(table[2], std::string_view("a\0b", 3));
  EXPECT_EQ(table.back(), "last");
  EXPECT_EQ(table.text().size(), 10u);
}

TEST(StringIndex, FindsEveryKeyOfAnyLength) {
  StringTable table;
  StringIndex index;  // grows from nothing
  for (int i = 0; i < 20000; ++i) table.push_back(std::string(static_cast<size_t>(i % 23), 'x') + std::to_string(i));
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(index.add(i, table));
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(index.find(table[static_cast<size_t>(i)], table), i);
  EXPECT_EQ(index.find("absent", table), -1);
  EXPECT_EQ(index.find("", table), -1);
}

TEST(StringIndex, KeepsTheFirstOfEqualKeys) {
  const StringTable table = {"a", "a", ""};
  StringIndex index(2);
  EXPECT_TRUE(index.add(0, table));
  EXPECT_FALSE(index.add(1, table));
  EXPECT_TRUE(index.add(2, table));
  EXPECT_EQ(index.find("a", table), 0);
  EXPECT_EQ(index.find("", table), 2);
}

}  // namespace
}  // namespace hyalite

#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

TEST(Base64, WritesTheVectorsOfItsStandard) {
  const char* pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text, "test"), bytes);
  }
  std::string all;
  for (int b = 0; b < 256; ++b) all.push_back(static_cast<char>(b));
  EXPECT_EQ(from_base64(to_base64(all), "test"), all);
  EXPECT_THROW(from_base64("Zm9*", "test"), Error);
}

}  // namespace
}  // namespace hyalite

#include "base/utf8.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(Utf8, ReadsWhatItWrites) {
  for (char32_t code : {0x0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(valid_sequence(text), text.size()) << static_cast<uint32_t>(code);
    EXPECT_EQ(decode_character(text).code, code);
    EXPECT_EQ(decode_last_character("a" + text).code, code);
    EXPECT_EQ(announced_bytes(static_cast<uint8_t>(text[0])), text.size());
  }
}

TEST(Utf8, RefusesOverlongSurrogateCutAndLargeForms) {
  for (const char* text : {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80", "\xe6\x97", "\xff", "\xc3("})
    EXPECT_EQ(valid_sequence(text), 0u) << text;
  EXPECT_EQ(valid_sequence(""), 0u);
  EXPECT_EQ(valid_prefix("aé\xe6\x97z"), 3u);
}

// Expected texts are those of Python's bytes.decode("utf-8", "replace").
TEST(Utf8, PutsOneMarkForEachInvalidPart) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"a\xe2\x82\xac", "a€"},
                                                       {"\xf0\x9f", "\ufffd"},
                                                       {"\xf0\x9f-", "\ufffd-"},
                                                       {"\xf0\x9f\xf0\x9f\xa6\x99", "\ufffd🦙"},
                                                       {"\xe6\x97z\xff\xfe", "\ufffdz\ufffd\ufffd"},
                                                       {"\xc0\xaf", "\ufffd\ufffd"},
                                                       {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
                                                       {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
                                                       {"\xe0\x80\xaf", "\ufffd\ufffd\ufffd"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(valid_text(bytes), text);
}

}  // namespace
}  // namespace hyalite

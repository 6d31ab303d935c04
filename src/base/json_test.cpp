#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hyalite {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_json(text, "x.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_EQ(error.where(), "x.json");
    return error.message();
  }
  return "";
}

TEST(Json, ParsesAndKeepsOrder) {
  const Json json = parse_json(R"({"z": [1, -2, 2.5, null, true], "a": "\u00e9"})", "x.json");
  EXPECT_EQ(json.begin().key(), "z");
  EXPECT_EQ(json["a"], "é");
  EXPECT_EQ(json["z"][2], 2.5);
}

TEST(Json, RefusesDuplicateKeysAtAnyLevel) {
  EXPECT_NE(refusal(R"({"a": 1, "a": 2})").find("duplicate key \"a\""), std::string::npos);
  EXPECT_NE(refusal(R"({"b": [{"c": 1}, {"d": 1, "d": 1}]})").find("duplicate key \"d\""), std::string::npos);
  EXPECT_EQ(refusal(R"([{"a": 1}, {"a": 1}])"), "");
}

TEST(Json, RefusesDeepNestingWithoutBuildingIt) {
  EXPECT_NE(refusal(std::string(100000, '[')).find("nesting"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_NE(refusal(objects).find("nesting"), std::string::npos);
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_NE(refusal(std::string(65, '[') + std::string(65, ']')), "");
}

TEST(Json, RefusesWhatIsNotStrictJson) {
  for (const char* text : {"", "{", "NaN", "[Infinity]", "[1] 2", "{\"a\": 1,}", "[1,]", "'a'", "\"\xff\"", "\"\xed\xa0\x80\"", "01",
                           "[1e999]", "{a: 1}", "// c\n1", "\"\x01\"", "\"\\ud800\""})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(Json, ObjectsOfAVocabularyTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 300000; ++i) text += "\"token" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const Json json = parse_json(text, "x.json");  // quadratic time would exceed the limit of any test runner
  EXPECT_EQ(json.size(), 300000u);
  EXPECT_EQ(json.back(), 299999);
}

TEST(Json, CountsValuesBeforeItBuildsThem) {
  auto refused = [](const std::string& text, const JsonLimits& limits) {
    try {
      parse_json(text, "x.json", limits);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  // The text breaks off, so that any other message would mean that the parser came that far.
  EXPECT_EQ(refused("[[],[],[],[],", {.max_values = 8}), "holds more than 8 values");
  EXPECT_EQ(refused(R"({"a":{},"b":{},"c":{},"d":{},)", {.max_values = 8}), "holds more than 8 values");
  EXPECT_EQ(refused("[1,2,3,4,5,6,7,8,", {.max_values = 8}), "holds more than 8 values");
  EXPECT_EQ(refused(R"(["a,b,c,[{[{,,,,,,,", "\",,,,,,,\\", 3, {"k,,,,,": [4, 5]}])", {.max_values = 8}), "");
  EXPECT_EQ(refused("[1,2,3,4,5,6,7]", {.max_values = 8}), "");
  EXPECT_EQ(refused(" [1", {.object = true}), "expected an object");
  EXPECT_EQ(refused(" {}", {.object = true}), "");
  EXPECT_EQ(refused("[1, 2]", {.max_bytes = 5}), "has 6 bytes, at most 5 are read");
  EXPECT_EQ(refusal(std::string(3 * ((4 << 20) + 1), ',')), "holds more than 4194304 values");
}

TEST(Json, NamesTheByte) {
  EXPECT_NE(refusal("[1, 2, x]").find("at byte 8"), std::string::npos) << refusal("[1, 2, x]");
}

TEST(Json, PassesOverAByteOrderMark) {
  EXPECT_EQ(parse_json("\xef\xbb\xbf{\"a\": 1}", "x", {.object = true}), Json({{"a", 1}}));
  EXPECT_NE(refusal("\xef\xbb\xbf\xef\xbb\xbf{}").find("at byte"), std::string::npos);
}

TEST(Json, MendsWhatIsNotUtf8) {
  EXPECT_EQ(print_json({{"path", "a\xff.gguf"}}), "{\n \"path\": \"a\xef\xbf\xbd.gguf\"\n}");
  EXPECT_EQ(printable("caf\xc3\xa9 \"\n"), "caf\xc3\xa9 \"\n");
  EXPECT_EQ(printable("a\xc3"), "a\xef\xbf\xbd");
  EXPECT_EQ(printable("\xff\x80"), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Json, ReadsFilesUpToALimit) {
  const auto path = std::filesystem::temp_directory_path() / "hyalite_json_test.json";
  std::ofstream(path) << "[1, 2]";
  EXPECT_EQ(read_json_file(path.string()).size(), 2u);
  EXPECT_THROW(read_json_file(path.string(), {.max_bytes = 5}), Error);
  std::filesystem::remove(path);
  EXPECT_THROW(read_json_file(path.string()), Error);
}

}  // namespace
}  // namespace hyalite

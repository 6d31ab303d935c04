#include "base/json_reader.h"

#include <gtest/gtest.h>

#include <functional>

namespace hyalite {
namespace {

const Json kJson = {{"count", 3},    {"small", 300},     {"half", 0.5},          {"name", "x"}, {"list", {{{"a", 1}}, {{"b", 2}}}},
                    {"ids", {1, 2}}, {"wide", {1, 300}}, {"inner", {{"c", "y"}}}};

std::string error_of(const std::function<void(const JsonReader&)>& use) {
  try {
    use(JsonReader(kJson, "file.json"));
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.where() + ": " + error.message();
  }
}

TEST(JsonReader, GivesWhatIsThere) {
  const JsonReader from(kJson, "file.json");
  EXPECT_EQ(from.get<int>("count"), 3);
  EXPECT_EQ(from.get<double>("half"), 0.5);
  EXPECT_EQ(from.object("inner").get<std::string>("c"), "y");
  EXPECT_EQ(from.one_of("name", std::array{"w", "x"}), 1);
  EXPECT_EQ(from.get<std::vector<int8_t>>("ids"), (std::vector<int8_t>{1, 2}));
}

TEST(JsonReader, NamesThePlaceAndTheField) {
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<int>("more"); }), "file.json: has no field more");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<std::string>("count"); }), "file.json: field count has the wrong type");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.object("inner").get<int>("c"); }),
            "file.json.inner: field c is no integer in range");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.object("name"); }), "file.json.name: must be an object");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.each("list", [](const JsonReader& one) { one.get<int>("a"); }); }),
            "file.json.list[1]: has no field a");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.one_of("name", std::array{"w"}); }),
            "file.json: field name has the unknown value x");
}

TEST(JsonReader, CutsNoInteger) {
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<int8_t>("small"); }), "file.json: field small is no integer in range");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<int>("half"); }), "file.json: field half is no integer in range");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<std::vector<int8_t>>("wide"); }),
            "file.json: field wide has an entry that is no integer in range");
  EXPECT_EQ(error_of([](const JsonReader& from) { from.get<std::vector<int8_t>>("count"); }), "file.json: field count has the wrong type");
}

}  // namespace
}  // namespace hyalite

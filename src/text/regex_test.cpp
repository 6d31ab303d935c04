#include "text/regex.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

std::vector<std::string> matches(const std::string& pattern, std::string_view text) {
  std::vector<std::string> found;
  TextBudget budget(text.size());
  Regex(pattern).find_all(text, budget, [&](size_t begin, size_t end) { found.emplace_back(text.substr(begin, end - begin)); });
  return found;
}

using Found = std::vector<std::string>;

TEST(Regex, ReadsTheDialectsOfTokenizers) {
  EXPECT_EQ(matches(R"([\p{L}&&[^\p{Han}]]+)", "ab日本cd"), (Found{"ab", "cd"}));
  EXPECT_EQ(matches(R"(\p{Han}+)", "日本。ー々"), (Found{"日本", "々"}));
  EXPECT_EQ(matches(R"(\s+)", "a\u3000\u00a0b\u180ec"), (Found{"\u3000\u00a0"}));
  EXPECT_EQ(matches(R"([^\s]+)", "a\u0085b"), (Found{"a", "b"}));
  EXPECT_EQ(matches(R"(\w+)", "a_b\u0301 \u24b6!"), (Found{"a_b\u0301", "\u24b6"}));
  EXPECT_EQ(matches(R"([[:digit:]]+)", "a12"), (Found{"12"}));
  EXPECT_EQ(matches(R"(\Q[.\E)", "a[.b"), (Found{"[."}));
  EXPECT_EQ(matches(R"((?i:'s))", "'\u017f'S"), (Found{"'\u017f", "'S"}));
}

TEST(Regex, FindsEmptyMatchesOnce) {
  EXPECT_EQ(matches(R"((?=(\d{3})+(?!\d)))", "1234567").size(), 2u);
}

TEST(Regex, RefusesWhatDoesNotCompileOrEnd) {
  EXPECT_THROW(Regex("(a"), Error);
  EXPECT_THROW(Regex("a\xff"), Error);
  try {
    matches("(a+)+$", std::string(60, 'a') + "b");
    FAIL() << "the pattern should exceed its limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_NE(std::string(error.what()).find("limits"), std::string::npos) << error.what();
  }
}

// Each search ends within its own limit.
TEST(Regex, RefusesWhatDoesNotEndInTimeForTheWholeText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(20, 'a') + "b ";
  try {
    matches("(a+)+$", text);
    FAIL() << "the pattern should exceed its budget";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_NE(std::string(error.what()).find("limits"), std::string::npos) << error.what();
  }
}

TEST(Regex, TakesManyStepsWhereTheTextIsWorthThem) {
  const std::string run(3000, 'a');  // beyond what a search of all places has
  EXPECT_EQ(matches("(?:a|b)+", "c" + run + "c" + run), (Found{run, run}));
  EXPECT_EQ(matches("(?:a|b)+c|$", run + "c" + run), (Found{run + "c", ""}));
  EXPECT_EQ(matches("(?:a|b)*", run + "é"), (Found{run, "", ""}));
}

TEST(Regex, SurvivesLongTexts) {
  EXPECT_EQ(matches(R"((?:ab)*c|.)", "x").size(), 1u);
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "ab";
  EXPECT_EQ(matches(R"((?:ab)++)", text).size(), 1u);
}

}  // namespace
}  // namespace hyalite

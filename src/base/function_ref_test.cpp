#include "base/function_ref.h"

#include <gtest/gtest.h>

#include <string>

namespace hyalite {
namespace {

int twice(FunctionRef<int(int)> function, int value) {
  return function(function(value));
}

TEST(FunctionRef, CallsLambdasAndObjectsInPlace) {
  int calls = 0;
  EXPECT_EQ(twice([&](int v) { return ++calls, v * 3; }, 2), 18);
  EXPECT_EQ(calls, 2);
  struct Counter {
    int total = 0;
    int operator()(int v) { return total += v; }
  } counter;
  EXPECT_EQ(twice(counter, 1), 2);
  EXPECT_EQ(counter.total, 2);
}

TEST(FunctionRef, ForwardsReferences) {
  std::string text;
  const auto append = [](std::string& to, const std::string& what) { to += what; };
  const FunctionRef<void(std::string&, const std::string&)> reference = append;
  reference(text, "x");
  EXPECT_EQ(text, "x");
}

}  // namespace
}  // namespace hyalite

#include "engine/stop_filter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

std::string through(const std::string& text, std::vector<std::string> stops, size_t piece) {
  StopFilter filter(std::move(stops));
  std::string out;
  for (size_t i = 0; i < text.size(); i += piece) out += filter.push(std::string_view(text).substr(i, piece));
  return out + filter.finish();
}

TEST(StopFilter, CutsBeforeTheFirstStopWhateverThePieces) {
  for (size_t piece = 1; piece < 12; ++piece) {
    EXPECT_EQ(through("one two END three", {"END"}, piece), "one two ");
    EXPECT_EQ(through("aab", {"ab"}, piece), "a");
    EXPECT_EQ(through("one two EN", {"END"}, piece), "one two EN");
    EXPECT_EQ(through("abcab", {"abc", "b"}, piece), "a");
  }
}

TEST(StopFilter, HoldsBackOnlyWhatMayBecomeAStop) {
  StopFilter filter({"\n\nUser:"});
  EXPECT_EQ(filter.push("hello\n"), "hello");
  EXPECT_EQ(filter.push("world\n\nUs"), "\nworld");
  EXPECT_EQ(filter.push("age"), "\n\nUsage");
  EXPECT_EQ(filter.push("\n\nUser: hi"), "");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.push("more"), "");
}

TEST(StopFilter, RefusesAnEmptyStop) {
  EXPECT_THROW(StopFilter({""}), Error);
}

}  // namespace
}  // namespace hyalite

#include "ir/diff.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "ir/parser.h"

namespace hyalite {
namespace {

// What `patch` does: checks every context and removed line on the way.
std::string patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < before.size();) {
    const size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
    lines.push_back(before.substr(at, end - at));
    at = end;
  }
  std::string after;
  size_t next = 0, at = 0;
  while (at < diff.size()) {
    std::string line = diff.substr(at, diff.find('\n', at) + 1 - at);
    at += line.size();
    if (line.starts_with("---") || line.starts_with("+++")) continue;
    if (line.starts_with("@@")) {
      int start = 0, count = 0;
      std::sscanf(line.c_str(), "@@ -%d,%d", &start, &count);
      for (const size_t stop = count ? start - 1 : start; next < stop; ++next) after += lines[next];
      continue;
    }
    if (diff.compare(at, 2, "\\ ") == 0) {
      line.pop_back();
      at = diff.find('\n', at) + 1;
    }
    if (line[0] != '+') {
      EXPECT_EQ(lines.at(next++), line.substr(1));
    }
    if (line[0] != '-') after += line.substr(1);
  }
  for (; next < lines.size(); ++next) after += lines[next];
  return after;
}

TEST(UnifiedDiff, IsEmptyForEqualTexts) {
  EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unified_diff("", ""), "");
}

TEST(UnifiedDiff, ShowsThreeLinesAroundAChange) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- before\n+++ after\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, NamesThePassAndSplitsHunks) {
  std::string before, after;
  for (int i = 0; i < 20; ++i) {
    before += std::to_string(i) + "\n";
    if (i != 3) after += std::to_string(i) + "\n";
    if (i == 15) after += "new\n";
  }
  EXPECT_EQ(unified_diff(before, after, "qkv-fusion"),
            "--- before qkv-fusion\n+++ after qkv-fusion\n"
            "@@ -1,7 +1,6 @@\n 0\n 1\n 2\n-3\n 4\n 5\n 6\n"
            "@@ -14,6 +13,7 @@\n 13\n 14\n 15\n+new\n 16\n 17\n 18\n");
}

TEST(UnifiedDiff, HandlesEmptySidesAndMissingLineEnds) {
  EXPECT_EQ(unified_diff("", "a\n"), "--- before\n+++ after\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\n", ""), "--- before\n+++ after\n@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(unified_diff("a", "a\n"), "--- before\n+++ after\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(UnifiedDiff, TurnsBeforeIntoAfter) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string before, after;
    const int lines = static_cast<int>(random() % 60), alphabet = 2 + static_cast<int>(random() % 40);
    for (int i = 0; i < lines; ++i) {
      const std::string line = std::to_string(random() % alphabet) + "\n";
      if (random() % 5) before += line;
      if (random() % 5) after += line;
    }
    if (random() % 4 == 0 && !after.empty()) after.pop_back();
    EXPECT_EQ(patched(before, unified_diff(before, after)), after);
  }
}

TEST(UnifiedDiff, StaysFastWhereEverythingChanges) {
  std::string before, after;
  for (int i = 0; i < 4000; ++i) {
    before += "  %x" + std::to_string(i) + " = matmul\n";
    after += "  %y" + std::to_string(i % 50) + " = fused\n";
    if (i % 100 == 0) before += "same\n", after += "same\n";
  }
  const std::clock_t begin = std::clock();
  const std::string diff = unified_diff(before, after);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);  // of CPU time
  EXPECT_EQ(patched(before, diff), after);
}

TEST(StructuralDiff, FindsAddedRemovedAndChangedNodes) {
  const auto graph = [](const std::string& body) {
    return parse_module("graph @g(%x: tensor<T x 4 x f32>) {\n" + body + "  return %x\n}\n", "g").graphs[0];
  };
  const Graph before = graph("  %a = silu %x at \"act\"\n  %b = scale %x {factor = 1.0} at \"s\"\n  %c = silu %a at \"c\"\n");
  const Graph after = graph("  %b = scale %x {factor = 2.0} at \"s\"\n  %d = gelu_tanh %x at \"d\" by \"p\" from \"act\", \"c\"\n");
  using Kind = NodeChange::Kind;
  const std::vector<NodeChange> expected = {
      {Kind::removed, "a", "act", "silu", "", "%a = silu %x : ? at \"act\"", "", {}},
      {Kind::removed, "c", "c", "silu", "", "%c = silu %a : ? at \"c\"", "", {}},
      {Kind::changed,
       "b",
       "s",
       "scale",
       "scale",
       "%b = scale %x {factor = 1.0} : ? at \"s\"",
       "%b = scale %x {factor = 2.0} : ? at \"s\"",
       {}},
      {Kind::added, "d", "d", "", "gelu_tanh", "", "%d = gelu_tanh %x : ? at \"d\" by \"p\" from \"act\", \"c\"", {"act", "c"}},
  };
  EXPECT_EQ(structural_diff(before, after), expected);
  EXPECT_TRUE(structural_diff(before, before).empty());
  const std::vector<OpChange> counts = {{Kind::removed, "silu", 2}, {Kind::added, "gelu_tanh", 1}, {Kind::changed, "scale", 1}};
  EXPECT_EQ(count_by_op(expected), counts);
}

TEST(StructuralDiff, CountsNodesThatBecameAnotherOpByBothNames) {
  const std::vector<NodeChange> changes = {{NodeChange::Kind::changed, "a", "p", "matmul", "lm_head", "x", "y", {}}};
  EXPECT_EQ(count_by_op(changes), (std::vector<OpChange>{{NodeChange::Kind::changed, "matmul -> lm_head", 1}}));
}

}  // namespace
}  // namespace hyalite

#include "ir/diff.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ir/printer.h"

namespace hyalite {
namespace {

constexpr int kContext = 3;
constexpr int kMaxEdits = 1000;  // of one stretch; bounds its time and memory to a million steps

using Lines = std::vector<std::string_view>;  // with their line ends, so that a missing last one is a difference
struct Match {
  int a, b;  // line indices that correspond
};

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// Lines as small numbers: equal lines, equal numbers.
struct Numbered {
  std::vector<int> a, b;

  Numbered(const Lines& before, const Lines& after) {
    std::unordered_map<std::string_view, int> numbers;
    const auto number = [&](std::string_view line) { return numbers.emplace(line, static_cast<int>(numbers.size())).first->second; };
    std::ranges::transform(before, std::back_inserter(a), number);
    std::ranges::transform(after, std::back_inserter(b), number);
  }
};

// A stretch of both texts: lines [a0, a1) and [b0, b1).
struct Range {
  int a0, a1, b0, b1;
};

// Myers, "An O(ND) difference algorithm" (1986): furthest_[d][i] is how far a path of d edits gets on diagonal k = 2i - d (k = a line - b
// line).
class ShortestEdit {
 public:
  ShortestEdit(const Numbered& lines, Range range) : lines_(lines), range_(range), n_(range.a1 - range.a0), m_(range.b1 - range.b0) {}

  // Appends the matches of a shortest edit script; none where it needs more than kMaxEdits.
  void append_to(std::vector<Match>& matches) {
    for (int d = 0; d <= std::min(n_ + m_, kMaxEdits); ++d)
      if (extend(d)) return walk_back(d, matches);
  }

 private:
  bool goes_down(int d, int i) const { return i == 0 || (i != d && furthest_[d - 1][i - 1] < furthest_[d - 1][i]); }

  bool extend(int d) {
    furthest_.emplace_back(d + 1);
    for (int i = 0; i <= d; ++i) {
      int x = d == 0 ? 0 : goes_down(d, i) ? furthest_[d - 1][i] : furthest_[d - 1][i - 1] + 1;
      int y = x - (2 * i - d);
      while (x < n_ && y < m_ && lines_.a[range_.a0 + x] == lines_.b[range_.b0 + y]) ++x, ++y;
      furthest_[d][i] = x;
      if (x == n_ && y == m_) return true;
    }
    return false;
  }

  void walk_back(int d, std::vector<Match>& matches) const {
    const size_t begin = matches.size();
    int x = n_, y = m_;
    for (; d >= 0; --d) {
      const int k = x - y, i = (k + d) / 2;
      const bool down = d > 0 && goes_down(d, i);
      const int from = d == 0 ? 0 : down ? furthest_[d - 1][i] : furthest_[d - 1][i - 1];
      const int snake = d == 0 || down ? from : from + 1;
      for (; x > snake; --x, --y) matches.push_back({range_.a0 + x - 1, range_.b0 + y - 1});
      x = from, y = from - (down ? k + 1 : k - 1);
    }
    std::reverse(matches.begin() + static_cast<std::ptrdiff_t>(begin), matches.end());
  }

  const Numbered& lines_;
  const Range range_;
  const int n_, m_;
  std::vector<std::vector<int>> furthest_;
};

// Lines that stand once in each side of the range, in an order that both share: the longest such chain (patience).
std::vector<Match> anchors(const Numbered& lines, Range range) {
  struct Count {
    int in_a = 0, in_b = 0, at_b = 0;
  };
  std::unordered_map<int, Count> counts;
  for (int i = range.a0; i < range.a1; ++i) ++counts[lines.a[i]].in_a;
  for (int i = range.b0; i < range.b1; ++i) ++counts[lines.b[i]].in_b, counts[lines.b[i]].at_b = i;
  std::vector<Match> unique;
  for (int i = range.a0; i < range.a1; ++i)
    if (const Count& count = counts[lines.a[i]]; count.in_a == 1 && count.in_b == 1) unique.push_back({i, count.at_b});

  // piles[p]: index of the match with the smallest b that ends an increasing chain of p + 1 matches.
  std::vector<int> piles, before(unique.size(), -1);
  for (int i = 0; i < static_cast<int>(unique.size()); ++i) {
    auto pile = std::ranges::lower_bound(piles, unique[i].b, {}, [&](int top) { return unique[top].b; });
    if (pile != piles.begin()) before[i] = *(pile - 1);
    if (pile == piles.end())
      piles.push_back(i);
    else
      *pile = i;
  }
  std::vector<Match> chain;
  for (int i = piles.empty() ? -1 : piles.back(); i >= 0; i = before[i]) chain.push_back(unique[i]);
  std::ranges::reverse(chain);
  return chain;
}

std::vector<Match> match_lines(const Numbered& lines) {
  std::vector<Match> matches;
  Range range{0, static_cast<int>(lines.a.size()), 0, static_cast<int>(lines.b.size())};
  while (range.a0 < range.a1 && range.b0 < range.b1 && lines.a[range.a0] == lines.b[range.b0]) matches.push_back({range.a0++, range.b0++});
  int suffix = 0;
  while (range.a0 < range.a1 && range.b0 < range.b1 && lines.a[range.a1 - 1] == lines.b[range.b1 - 1]) --range.a1, --range.b1, ++suffix;
  int a = range.a0, b = range.b0;
  for (Match anchor : anchors(lines, range)) {
    ShortestEdit(lines, {a, anchor.a, b, anchor.b}).append_to(matches);
    matches.push_back(anchor);
    a = anchor.a + 1, b = anchor.b + 1;
  }
  ShortestEdit(lines, {a, range.a1, b, range.b1}).append_to(matches);
  for (int i = 0; i < suffix; ++i) matches.push_back({range.a1 + i, range.b1 + i});
  return matches;
}

struct Edit {
  char kind;  // ' ', '-' or '+'
  int a, b;   // lines before this one on each side
};

std::vector<Edit> edits_between(const std::vector<Match>& matches, int a_lines, int b_lines) {
  std::vector<Edit> edits;
  int a = 0, b = 0;
  const auto advance_to = [&](int a_end, int b_end) {
    while (a < a_end) edits.push_back({'-', a++, b});
    while (b < b_end) edits.push_back({'+', a, b++});
  };
  for (Match match : matches) {
    advance_to(match.a, match.b);
    edits.push_back({' ', a++, b++});
  }
  advance_to(a_lines, b_lines);
  return edits;
}

std::string hunk(const std::vector<Edit>& edits, size_t begin, size_t end, const Lines& before, const Lines& after) {
  std::string body;
  int a_count = 0, b_count = 0;
  for (size_t i = begin; i < end; ++i) {
    const Edit& edit = edits[i];
    const std::string_view line = edit.kind == '+' ? after[edit.b] : before[edit.a];
    a_count += edit.kind != '+';
    b_count += edit.kind != '-';
    body += edit.kind + std::string(line);
    if (!line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  const auto span = [](int first, int count) { return std::to_string(count ? first + 1 : first) + "," + std::to_string(count); };
  return "@@ -" + span(edits[begin].a, a_count) + " +" + span(edits[begin].b, b_count) + " @@\n" + body;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return "";
  const Lines a = split_lines(before), b = split_lines(after);
  const std::vector<Edit> edits = edits_between(match_lines(Numbered(a, b)), static_cast<int>(a.size()), static_cast<int>(b.size()));
  const std::string suffix = (name.empty() ? "" : " " + std::string(name)) + "\n";
  std::string text = "--- before" + suffix + "+++ after" + suffix;
  const auto changed = [](const Edit& edit) { return edit.kind != ' '; };
  for (auto at = std::ranges::find_if(edits, changed); at != edits.end();) {
    // A hunk goes on while fewer than two contexts of equal lines lie between changes.
    auto last = at, next = at;
    while (next != edits.end() && next - last <= 2 * kContext) last = next, next = std::find_if(next + 1, edits.end(), changed);
    const size_t begin = std::max<std::ptrdiff_t>(at - edits.begin() - kContext, 0);
    const size_t end = std::min<size_t>(last - edits.begin() + 1 + kContext, edits.size());
    text += hunk(edits, begin, end, a, b);
    at = next;
  }
  return text;
}

std::vector<NodeChange> structural_diff(const Graph& before, const Graph& after) {
  using Kind = NodeChange::Kind;
  const auto name_of = [](const Graph& graph, NodeId id) -> const std::string& { return graph.value(graph.result(id)).name; };
  const auto counterpart = [&](const Graph& graph, const std::string& name) {
    const ValueId value = graph.find_value(name);
    return value == kNone || graph.value(value).result_index != 0 ? kNone : graph.value(value).producer;
  };
  std::vector<NodeChange> changes;
  for (NodeId id : before.order()) {
    const Node& node = before.node(id);
    if (counterpart(after, name_of(before, id)) != kNone) continue;
    changes.push_back({Kind::removed, name_of(before, id), node.from.path, std::string(node.op->name), "", print_node(before, id), "", {}});
  }
  for (NodeId id : after.order()) {
    const Node& node = after.node(id);
    const NodeId old = counterpart(before, name_of(after, id));
    NodeChange change{Kind::added, name_of(after, id), node.from.path, "", std::string(node.op->name), "", print_node(after, id), {}};
    if (old == kNone) {
      change.parents = node.from.parents;
    } else {
      change.kind = Kind::changed;
      change.op_before = before.node(old).op->name;
      change.before = print_node(before, old);
    }
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

std::string_view name_of(NodeChange::Kind kind) {
  switch (kind) {
    case NodeChange::Kind::added: return "added";
    case NodeChange::Kind::removed: return "removed";
    case NodeChange::Kind::changed: return "changed";
  }
  return "";
}

std::vector<OpChange> count_by_op(std::span<const NodeChange> changes) {
  using Kind = NodeChange::Kind;
  std::map<std::pair<Kind, std::string>, int> counts;
  for (const NodeChange& change : changes) {
    const bool other_op = change.kind == Kind::changed && change.op_before != change.op_after;
    const std::string& op = change.kind == Kind::removed ? change.op_before : change.op_after;
    ++counts[{change.kind, other_op ? change.op_before + " -> " + change.op_after : op}];
  }
  std::vector<OpChange> sums;
  for (Kind kind : {Kind::removed, Kind::added, Kind::changed})
    for (const auto& [key, count] : counts)
      if (key.first == kind) sums.push_back({kind, key.second, count});
  return sums;
}

}  // namespace hyalite

#include "workbench/worst_tokens.h"

#include <algorithm>
#include <numeric>

namespace hyalite {
namespace {

constexpr int64_t kTokensBefore = 16;

}  // namespace

std::vector<int64_t> largest(std::span<const double> values, int64_t count) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, static_cast<int64_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int64_t a, int64_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });
  order.resize(count);
  return order;
}

TokenInText token_in_text(const Tokenizer& tokenizer, std::span<const int32_t> ids, const WindowCut& cut, int64_t scored) {
  TokenInText token{.scored = scored, .position = cut.position(scored)};
  token.id = ids[token.position];
  const int64_t before = std::min(kTokensBefore, token.position % cut.context);  // what the model saw
  token.before = tokenizer.decode(ids.subspan(token.position - before, before), false);
  token.text = tokenizer.piece(token.id);
  return token;
}

}  // namespace hyalite

// Every op is a function of its operands and attributes (a cache is a value like any other), so two equal nodes are one.
#include <unordered_map>

#include "passes/pass.h"

namespace hyalite {
namespace {

size_t mix(size_t hash, size_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15ull + (hash >> 29);
}

size_t hash_of(const AttrValue& value) {
  return std::visit(
      []<class T>(const T& item) -> size_t {
        if constexpr (requires { item.begin()->begin(); } || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
          return std::hash<T>{}(item);
        } else {
          size_t hash = item.size();
          for (const auto& number : item) hash = mix(hash, std::hash<std::decay_t<decltype(number)>>{}(number));
          return hash;
        }
      },
      value);
}

size_t hash_of(const Node& node) {
  size_t hash = std::hash<const void*>{}(node.op);
  for (ValueId value : node.operands) hash = mix(hash, static_cast<size_t>(value));
  for (const auto& [name, value] : node.attrs.items()) hash = mix(mix(hash, std::hash<std::string>{}(name)), hash_of(value));
  return hash;
}

// Types decide too: those of weights are written, not computed.
bool same(const Graph& graph, const Node& a, const Node& b) {
  auto type = [&](ValueId value) -> const ValueType& { return graph.value(value).type; };
  return a.op == b.op && a.operands == b.operands && a.attrs == b.attrs && std::ranges::equal(a.results, b.results, {}, type, type);
}

void run(Rewriter& rw, const PassContext&) {
  std::unordered_multimap<size_t, NodeId> seen;
  for (NodeId id : std::vector(rw.graph().order())) {
    const Node& node = rw.graph().node(id);
    size_t hash = hash_of(node);
    auto [first, last] = seen.equal_range(hash);
    auto twin = std::find_if(first, last, [&](const auto& entry) { return same(rw.graph(), rw.graph().node(entry.second), node); });
    if (twin == last) {
      seen.emplace(hash, id);
      continue;
    }
    const Node& kept = rw.graph().node(twin->second);
    rw.matched(id, "is %" + rw.graph().value(kept.results[0]).name + " again");
    for (size_t i = 0; i < node.results.size(); ++i) rw.replace_uses(node.results[i], kept.results[i]);
    rw.erase(id);
  }
}

}  // namespace

extern const Pass pass_cse;
const Pass pass_cse{"cse", "Merges nodes that compute the same from the same.", run};

}  // namespace hyalite

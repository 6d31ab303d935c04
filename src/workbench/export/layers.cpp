#include "workbench/export/layers.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace hyalite {
namespace {

constexpr std::string_view kLayerPrefix = "blk.";
constexpr size_t kLongestPeriod = 8;  // layers of different kinds that take turns

size_t digits_after_prefix(std::string_view path) {
  if (!path.starts_with(kLayerPrefix)) return 0;
  size_t end = kLayerPrefix.size();
  while (end < path.size() && path[end] >= '0' && path[end] <= '9') ++end;
  return end == path.size() || path[end] == '.' ? end - kLayerPrefix.size() : 0;
}

struct Chunk {
  int layer = -1;
  std::vector<NodeId> nodes;
  std::string signature;
};

// Working nodes in order, cut where the layer changes; each weight and constant in front of its first user.
std::vector<Chunk> cut(const Graph& graph) {
  std::vector<Chunk> chunks;
  std::unordered_map<NodeId, bool> placed;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (is_source(node)) continue;
    int layer = layer_of(node.from.path);
    if (chunks.empty() || chunks.back().layer != layer) chunks.push_back({.layer = layer});
    for (ValueId operand : node.operands) {
      NodeId source = operand == kNone ? kNone : graph.value(operand).producer;
      if (source != kNone && is_source(graph.node(source)) && !std::exchange(placed[source], true)) chunks.back().nodes.push_back(source);
    }
    chunks.back().nodes.push_back(id);
  }
  if (chunks.empty()) chunks.emplace_back();
  for (NodeId id : graph.order())  // results of no use to any node
    if (is_source(graph.node(id)) && !placed[id]) chunks.back().nodes.push_back(id);
  return chunks;
}

std::string signature_of(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::unordered_map<NodeId, int> place;
  std::string text;
  for (NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (is_source(node)) continue;
    text += std::string(node.op->name) + '(';
    for (ValueId operand : node.operands) {
      NodeId producer = operand == kNone ? kNone : graph.value(operand).producer;
      auto inside = place.find(producer);
      if (operand == kNone)
        text += "none,";
      else if (producer != kNone && is_source(graph.node(producer)))
        text += "source,";
      else if (inside == place.end())
        text += "outside,";
      else
        text += std::to_string(inside->second) + '.' + std::to_string(graph.value(operand).result_index) + ',';
    }
    text += ')';
    place.emplace(id, static_cast<int>(place.size()));
  }
  return text;
}

// How many bodies of `period` chunks, the first at `at`, are alike; 1 where nothing repeats.
size_t repeats(const std::vector<Chunk>& chunks, size_t at, size_t period) {
  size_t count = 1;
  auto alike = [&](size_t next) {
    for (size_t i = 0; i < period; ++i)
      if (chunks[at + i].layer < 0 || chunks[next + i].layer < 0 || chunks[at + i].signature != chunks[next + i].signature) return false;
    return true;
  };
  while (at + (count + 1) * period <= chunks.size() && alike(at + count * period)) ++count;
  return count;
}

}  // namespace

bool is_source(const Node& node) {
  return node.op->name == "weight" || node.op->name == "constant";
}

int layer_of(std::string_view path) {
  size_t digits = digits_after_prefix(path);
  int layer = -1;
  if (digits) std::from_chars(path.data() + kLayerPrefix.size(), path.data() + kLayerPrefix.size() + digits, layer);
  return layer;
}

std::string path_in_any_layer(std::string_view path) {
  size_t digits = digits_after_prefix(path);
  if (!digits) return std::string(path);
  return std::string(kLayerPrefix) + '*' + std::string(path.substr(kLayerPrefix.size() + digits));
}

std::vector<Segment> fold_layers(const Graph& graph) {
  std::vector<Chunk> chunks = cut(graph);
  for (Chunk& chunk : chunks) chunk.signature = signature_of(graph, chunk.nodes);
  std::vector<Segment> segments;
  for (size_t at = 0; at < chunks.size();) {
    size_t period = 1, count = 1;
    for (size_t p = 1; p <= kLongestPeriod; ++p)
      if (size_t n = repeats(chunks, at, p); n > 1 && n * p > count * period) period = p, count = n;
    Segment segment{
        .first_layer = chunks[at].layer, .last_layer = chunks[at + count * period - 1].layer, .layers_per_body = static_cast<int>(period)};
    for (size_t body = 0; body < count; ++body) {
      std::vector<NodeId>& nodes = segment.bodies.emplace_back();
      for (size_t i = 0; i < period; ++i, ++at) nodes.insert(nodes.end(), chunks[at].nodes.begin(), chunks[at].nodes.end());
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace hyalite

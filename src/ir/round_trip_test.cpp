// parse(print(g)) == g for graphs that use every op, every attribute type and arbitrary names; fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/utf8.h"
#include "ir/parser.h"
#include "ir/printer.h"

namespace hyalite {
namespace {

class RandomGraphs {
 public:
  explicit RandomGraphs(uint32_t seed) : random_(seed) {}

  Module module() {
    Module module{below(2) ? name() : "", {}};
    for (int i = below(3); i >= 0; --i) module.graphs.push_back(graph("g" + std::to_string(i) + name()));
    return module;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  std::string name() {
    std::string text;
    for (int i = below(6); i >= 0; --i)
      append_utf8(static_cast<char32_t>(below(4) ? 'a' + below(26) : below(below(2) ? 128 : 0xd800)), text);
    return text;
  }

  double real() {
    while (true) {
      const uint64_t bits = (uint64_t{random_()} << 32) | random_();
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      if (below(3) == 0) value = below(2000) / 8.0;
      if (std::isfinite(value)) return value;
    }
  }

  AttrValue value_for(std::string_view type) {
    if (type == "int") return static_cast<int64_t>((uint64_t{random_()} << 32) | random_());
    if (type == "real") return below(4) ? AttrValue(real()) : AttrValue(int64_t{below(100)});
    if (type == "bool") return below(2) == 1;
    if (type == "text") return name();
    std::vector<double> list(below(4));
    for (double& item : list) item = real();
    return list;
  }

  ValueType type() {
    switch (below(5)) {
      case 0: return ValueType::unknown();
      case 1: return ValueType::batch();
      case 2: return ValueType::cache();
      default: break;
    }
    TensorType tensor{below(2) ? DType::f32 : DType::q4_k, {}};
    for (int i = below(3); i > 0; --i) tensor.dims.push_back(below(2) ? Dim(1 + below(1 << 20)) : Dim::symbol("TBL"[below(3)]));
    if (tensor.dtype == DType::q4_k) tensor.dims.emplace_back(256 * (1 + below(9)));
    return ValueType::of(tensor);
  }

  Graph graph(const std::string& graph_name) {
    Graph graph(graph_name);
    for (int i = below(4); i >= 0; --i) graph.add_input(name(), type());
    for (int i = below(40); i > 0; --i) node(graph);
    std::vector<ValueId> outputs(below(3));
    for (ValueId& output : outputs) output = below(graph.value_count());
    graph.set_outputs(outputs);
    return graph;
  }

  void node(Graph& graph) {
    const OpSpec& op = *all_ops()[below(static_cast<int>(all_ops().size()))];
    std::vector<ValueId> operands;
    for (const OperandSpec& operand : op.operands) operands.push_back(operand.optional && below(2) ? kNone : below(graph.value_count()));
    Attrs attrs;
    for (const AttrSpec& attr : op.attrs)
      if (attr.required || below(2)) attrs.set(attr.name, value_for(attr.type));
    std::vector<std::string> names(op.results.size());
    std::vector<ValueType> types(op.results.size());
    for (size_t i = 0; i < names.size(); ++i) names[i] = name(), types[i] = type();
    Provenance from{below(2) ? name() : "", below(2) ? name() : "", {}};
    for (int i = below(3); i > 0; --i) from.parents.push_back(name());
    graph.append(op, operands, attrs, names, from, types);
  }

  std::mt19937 random_;
};

TEST(RoundTrip, RandomGraphsSurvive) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const Module module = RandomGraphs(seed).module();
    const std::string text = print(module);
    const Module back = parse_module(text, "random.cir");
    ASSERT_EQ(back, module) << text;
    ASSERT_EQ(print(back), text);
  }
}

}  // namespace
}  // namespace hyalite

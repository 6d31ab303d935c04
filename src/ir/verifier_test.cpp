#include "ir/verifier.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "ir/parser.h"

namespace hyalite {
namespace {

constexpr const char* kGood = R"(
graph @g(%ids: tensor<T x i32>, %batch: batch, %kv: cache) {
  %w = weight {name = "token_embd"} : tensor<96 x 32 x q8_0>
  %x = embed %ids, %w : tensor<T x 32 x f32>
  %y = matmul %x, %w : tensor<T x 96 x f32>
  %kv1 = cache_append %kv, %x, %x, %batch {layer = 0, kv_heads = 4, head_dim = 8} : cache
  %a = paged_attention_prefill %x, %kv1, %batch {layer = 0, heads = 4, kv_heads = 4, head_dim = 8, scale = 1} : tensor<T x 32 x f32>
  return %y, %a, %kv1
}
)";

Graph good() {
  return parse_module(kGood, "good.cir").graphs[0];
}

NodeId node_named(const Graph& graph, std::string_view value) {
  return graph.value(graph.find_value(value)).producer;
}

template <class Checked>
std::string error_of(const Checked& checked) {
  try {
    verify(checked);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
  return "no error";
}

// The error of kGood with `from` replaced by `to` in its text.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return error_of(parse_module(text, "bad.cir"));
}

TEST(Verifier, AcceptsAGoodGraph) {
  EXPECT_EQ(error_of(good()), "no error");
  EXPECT_EQ(error_with(" : tensor<T x 96 x f32>", " : ?"), "no error");  // not yet inferred
  EXPECT_EQ(error_of(Graph("empty")), "no error");
}

TEST(Verifier, NamesTheTypeThatDoesNotFollow) {
  EXPECT_EQ(error_with(" : tensor<T x 96 x f32>", " : tensor<T x 95 x f32>"),
            "graph @g, node 3 (%y = matmul): %y is tensor<T x 95 x f32>, but the op makes tensor<T x 96 x f32>");
  EXPECT_EQ(error_with("kv_heads = 4", "kv_heads = 2"),
            "graph @g, node 4 (%kv1 = cache_append): k must have kv_heads * head_dim = 16 columns, is tensor<T x 32 x f32>");
  EXPECT_EQ(error_with(" : tensor<T x 96 x f32>", " : cache"),
            "graph @g, node 3 (%y = matmul): %y is cache, but the op makes tensor<T x 96 x f32>");
  EXPECT_EQ(error_with(" : tensor<96 x 32 x q8_0>", " : ?"), "graph @g, node 1 (%w = weight): %w needs a written type");
  EXPECT_EQ(error_with("%kv: cache", "%kv: ?"), "graph @g, inputs: %kv has no known type");
}

TEST(Verifier, HoldsOperandsToTheirKinds) {
  EXPECT_EQ(error_with("matmul %x, %w", "matmul %x, %batch"),
            "graph @g, node 3 (%y = matmul): operand w %batch is of the wrong kind, batch");
  Graph graph = good();
  graph.node(node_named(graph, "y")).operands.pop_back();
  EXPECT_EQ(error_of(graph), "graph @g, node 3 (%y = matmul): takes 2 operands, has 1");
  graph = good();
  graph.node(node_named(graph, "y")).operands[1] = kNone;
  EXPECT_EQ(error_of(graph), "graph @g, node 3 (%y = matmul): operand w is missing");
}

TEST(Verifier, HoldsNodesToTheirOrder) {
  Graph graph = good();
  graph.node(node_named(graph, "x")).operands[1] = graph.find_value("y");
  EXPECT_EQ(error_of(graph), "graph @g, node 2 (%x = embed): operand table is not defined before it is used");
  graph.node(node_named(graph, "x")).operands[1] = 1000;
  EXPECT_EQ(error_of(graph), "graph @g, node 2 (%x = embed): operand table is not defined before it is used");
  graph = good();
  graph.set_outputs({99});
  EXPECT_EQ(error_of(graph), "graph @g, return: an output is no value of the graph");
}

TEST(Verifier, StateIsUsedOnce) {
  EXPECT_EQ(error_with("paged_attention_prefill %x, %kv1", "paged_attention_prefill %x, %kv"),
            "graph @g, node 5 (%a = paged_attention_prefill): operand kv %kv is used after %kv1 has written to it");
  EXPECT_EQ(error_with("return %y, %a, %kv1", "return %kv"), "graph @g, return: %kv is used after %kv1 has written to it");
}

TEST(Verifier, ALayerIsAppendedToOnce) {
  const auto with_second = [](const char* layer) {
    const std::string append =
        "%kv2 = cache_append %kv1, %x, %x, %batch {layer = " + std::string(layer) + ", kv_heads = 4, head_dim = 8} : cache";
    return error_with("return %y, %a, %kv1", append + "\n  return %y, %a, %kv2");
  };
  EXPECT_EQ(with_second("1"), "no error");
  EXPECT_EQ(with_second("0"), "graph @g, node 6 (%kv2 = cache_append): appends to the cache of layer 0, as %kv1 did");
}

TEST(Verifier, AFusedAppendCountsToo) {
  const std::string fused =
      "%norm = weight {name = \"n\"} : tensor<32 x f32>\n  %wk = weight {name = \"w\"} : tensor<32 x 32 x f32>\n"
      "  %freqs = weight {name = \"f\"} : tensor<4 x f32>\n"
      "  %q, %kv2 = fused_rmsnorm_qkv_rope_append %x, %norm, %wk, %wk, %wk, none, none, none, none, none, %freqs, %batch, %kv1 "
      "{eps = 0.0, head_dim = 8, layer = 0, kv_heads = 4}";
  EXPECT_EQ(error_with("return %y, %a, %kv1", fused + "\n  return %y, %a, %kv2"),
            "graph @g, node 9 (%q = fused_rmsnorm_qkv_rope_append): appends to the cache of layer 0, as %kv1 did");
}

TEST(Verifier, HoldsAttributesToTheSchema) {
  const auto error_with_attr = [](const char* name, AttrValue value) {
    Graph graph = good();
    graph.node(node_named(graph, "a")).attrs.set(name, std::move(value));
    return error_of(graph);
  };
  const std::string place = "graph @g, node 5 (%a = paged_attention_prefill): ";
  EXPECT_EQ(error_with_attr("colour", true), place + "attribute colour is not one of the op's");
  EXPECT_EQ(error_with_attr("layer", 1.0), place + "attribute layer must be an integer");
  EXPECT_EQ(error_with_attr("scale", std::numeric_limits<double>::infinity()), place + "attribute scale is not finite");
  Graph graph = good();
  graph.node(node_named(graph, "a")).attrs.erase("scale");
  EXPECT_EQ(error_of(graph), place + "attribute scale is missing");
}

TEST(Verifier, NamesAreUnique) {
  Graph graph = good();
  graph.value(graph.find_value("y")).name = "x";
  EXPECT_EQ(error_of(graph), "graph @g, node 3 (%x = matmul): the name %x is not unique");
  EXPECT_EQ(error_of(Module{"", {good(), good()}}), "graph @g: is there twice");
}

TEST(Verifier, ValuesKnowTheirProducers) {
  Graph graph = good();
  graph.value(graph.find_value("y")).producer = 0;
  EXPECT_EQ(error_of(graph), "graph @g, node 3 (%y = matmul): %y is not the value that its producer makes");
}

}  // namespace
}  // namespace hyalite

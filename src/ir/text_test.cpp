// The printer, the parser, and that each undoes the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "base/error.h"
#include "ir/parser.h"
#include "ir/printer.h"

namespace hyalite {
namespace {

constexpr const char* kText = R"(stage "qkv-fusion"

graph @model(%ids: tensor<T x i32>, %batch: batch, %kv: cache) -> (tensor<L x 96 x f32>, cache) {
  %w_emb = weight {name = "token_embd"} : tensor<96 x 32 x q8_0> at "token_embd"
  %x0 = embed %ids, %w_emb : tensor<T x 32 x f32> at "token_embd"
  %freqs = rope_frequencies none {theta = 10000.0, dims = 8} : tensor<4 x f32>
  %q, %k, %v = fused_qkv %x0, %w_emb, %w_emb, %w_emb, none, none, none {activations = "q8"} : tensor<T x 96 x f32>, tensor<T x 96 x f32>, tensor<T x 96 x f32> at "blk.0.attn" by "qkv-fusion" from "blk.0.attn_q", "blk.0.attn_k"
  %a, %kv1 = grouped_query_attention %q, %k, %v, %kv, %batch {layer = 0, heads = 12, kv_heads = 12, head_dim = 8, scale = 0.125} : tensor<T x 96 x f32>, cache
  %y = add %q, %a : ?
  %logits = select_rows %y, %batch : tensor<L x 96 x f32>
  return %logits, %kv1
}
)";

std::string error_of(const std::string& text) {
  try {
    parse_module(text, "model.cir");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
  return "no error";
}

// The body of a graph with inputs %ids, %x [T, 4] and %batch.
std::string graph_with(const std::string& body) {
  return "graph @g(%ids: tensor<T x i32>, %x: tensor<T x 4 x f32>, %batch: batch) {\n" + body + "\n  return %x\n}\n";
}

TEST(Text, PrintsWhatItParsed) {
  const Module module = parse_module(kText, "model.cir");
  EXPECT_EQ(module.stage, "qkv-fusion");
  EXPECT_EQ(print(module), kText);
  EXPECT_EQ(parse_module(print(module), "again"), module);
}

TEST(Text, KeepsProvenance) {
  const Module module = parse_module(kText, "model.cir");
  const Graph& graph = module.graphs[0];
  const Node& qkv = graph.node(graph.order()[3]);
  EXPECT_EQ(qkv.from, (Provenance{"blk.0.attn", "qkv-fusion", {"blk.0.attn_q", "blk.0.attn_k"}}));
}

TEST(Text, BlanksCommentsAndLineEndsDoNotMatter) {
  std::string text = kText;
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 20) text.replace(at, 1, "  // note {%é\r\n\n");
  EXPECT_EQ(parse_module(text, "model.cir"), parse_module(kText, "model.cir"));
}

TEST(Text, TypesMayBeLeftOut) {
  const Module module = parse_module(graph_with("  %y = silu %x"), "model.cir");
  EXPECT_EQ(module.graphs[0].value(module.graphs[0].find_value("y")).type, ValueType::unknown());
}

TEST(Text, RealsStayApartFromIntegersAndReadBackExactly) {
  EXPECT_EQ(print(AttrValue(1e-5)), "1e-05");
  EXPECT_EQ(print(AttrValue(0.125)), "0.125");
  EXPECT_EQ(print(AttrValue(1.0)), "1.0");
  EXPECT_EQ(print(AttrValue(-0.0)), "-0.0");
  EXPECT_EQ(print(AttrValue(int64_t{1})), "1");
  EXPECT_EQ(print(AttrValue(std::vector<double>{1, 0.1})), "[1.0, 0.1]");
  for (double value : {1e300, -5e-324, 0.1 + 0.2, 1.7976931348623157e308, 123456789012345680.0}) {
    const std::string text = graph_with("  %c = constant {values = [" + print(AttrValue(value)) + "]}");
    const Module module = parse_module(text, "model.cir");
    EXPECT_EQ(module.graphs[0].node(0).attrs.reals("values")[0], value);
  }
  EXPECT_THROW(print(AttrValue(std::numeric_limits<double>::infinity())), Error);
  EXPECT_THROW(print(AttrValue(std::numeric_limits<double>::quiet_NaN())), Error);
}

TEST(Text, AnyNameAndAnyStringSurvive) {
  const std::string odd("a \"b\"\\ \n\t\r\x01\x7f é 😊\0end", 24);
  Graph graph("g " + odd);
  const ValueId x = graph.add_input(odd, ValueType::of({DType::f32, {Dim(3)}}));
  const NodeId n = graph.append(*find_op("weight"), {}, {{"name", odd}}, {"%@"}, {odd, odd, {odd, ""}});
  graph.set_outputs({x, graph.result(n)});
  Module module{odd, {graph}};
  EXPECT_EQ(parse_module(print(module), "x"), module);
}

TEST(Text, ErrorsNameFileLineAndColumn) {
  EXPECT_EQ(error_of(graph_with("  %y = no_such_op %x")), "model.cir:2:8: unknown op no_such_op");
  EXPECT_EQ(error_of(graph_with("  %y = silu %nobody")), "model.cir:2:13: %nobody is not defined");
  EXPECT_EQ(error_of(graph_with("  %y = silu %y")), "model.cir:2:13: %y is not defined");
  EXPECT_EQ(error_of(graph_with("  %x = silu %x")), "model.cir:2:3: %x is defined twice");
  EXPECT_EQ(error_of(graph_with("  %y = add %x")), "model.cir:2:8: add takes 2 operands, not 1");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x, %x")), "model.cir:2:17: silu takes 1 operands, this is one more");
  EXPECT_EQ(error_of(graph_with("  %y = silu none")), "model.cir:2:13: operand x of silu is not optional");
  EXPECT_EQ(error_of(graph_with("  %y, %z = silu %x")), "model.cir:2:12: silu has 1 results, not 2");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x {eps = 1}")), "model.cir:2:17: silu has no attribute eps");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x")), "model.cir:2:8: scale needs attribute factor");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = \"2\"}")), "model.cir:2:27: attribute factor must be a number");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = 1, factor = 2}")), "model.cir:2:30: attribute factor is given twice");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x %z = silu %x")), "model.cir:2:16: expected a new line for the next node, found %z");
  EXPECT_EQ(error_of(kText + std::string(kText).substr(20)), "model.cir:13:1: graph @model is defined twice");
}

TEST(Text, RefusesNumbersAndSizesOutOfRange) {
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = 1e999}")), "model.cir:2:27: not a number in the range of a double");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = 99999999999999999999}")), "model.cir:2:27: not an integer of 64 bits");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = inf}")), "model.cir:2:27: expected a value, found inf");
  EXPECT_EQ(error_of(graph_with("  %y = scale %x {factor = [[1]]}")), "model.cir:2:28: expected a value, found [");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x : tensor<0 x f32>")), "model.cir:2:25: a dimension is a positive integer, T, B or L");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x : tensor<4611686018427387904 x 8 x f32>")),
            "model.cir:2:18: tensor<4611686018427387904 x 8 x f32>: size overflows");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x : tensor<1 x 1 x 1 x 1 x 1 x f32>")), "model.cir:2:41: a tensor has at most 4 dimensions");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x : tensor<33 x q8_0>")),
            "model.cir:2:18: columns of tensor<33 x q8_0> must be a multiple of 32");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x : tensor<4 x f31>")), "model.cir:2:29: unknown element format f31");
}

TEST(Text, HoldsTheHeaderToTheReturnedTypes) {
  EXPECT_EQ(error_of("graph @g(%x: batch) -> (cache) {\n  return %x\n}"),
            "model.cir:1:21: the result types of graph @g are not those of the values it returns");
}

TEST(Text, EveryPrefixIsRefusedWithItsPlace) {
  const std::string text = kText;
  const size_t graph = text.find("graph"), whole = text.rfind('}');
  for (size_t length = graph + 1; length <= whole; ++length)
    EXPECT_EQ(error_of(text.substr(0, length)).substr(0, 10), "model.cir:") << length;
}

TEST(Text, RefusesBytesThatAreNotUtf8) {
  for (const char* bytes : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_EQ(error_of(std::string("graph\n  // ") + bytes), "model.cir:2:6: the text is not UTF-8");
  EXPECT_EQ(error_of(std::string("graph\0", 6)).substr(0, 12), "model.cir:1:");
}

// CPU seconds for a graph of this many nodes: the least of three, for what a busy machine adds is not the parser's.
double seconds_to_parse(int nodes) {
  std::string body;
  for (int i = 0; i < nodes; ++i) body += "  %y" + std::to_string(i) + " = silu %x at \"blk." + std::to_string(i) + "\"\n";
  const std::string text = graph_with(body);
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(parse_module(text, "long.cir").graphs[0].node_count(), nodes);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

TEST(Text, TimeIsLinearInTheText) {
  EXPECT_LT(seconds_to_parse(20'000), 12 * seconds_to_parse(4'000));  // 5 times where linear, 25 times where quadratic
  std::string outputs = "  return %x";
  for (int i = 0; i < 50'000; ++i) outputs += ", %nobody" + std::to_string(i);
  EXPECT_EQ(error_of("graph @g(%x: batch) {\n" + outputs + "\n}"), "model.cir:2:14: %nobody0 is not defined");
  std::string results = "  %a0";
  for (int i = 1; i < 50'000; ++i) results += ", %a" + std::to_string(i);
  EXPECT_EQ(error_of(graph_with(results + " = silu %x")), "model.cir:2:89: a node has at most 16 results");
}

TEST(Text, StringsEndInTheirLine) {
  EXPECT_EQ(error_of("stage \"abc\n\""), "model.cir:1:7: the string does not end in this line");
  EXPECT_EQ(error_of("stage \"abc"), "model.cir:1:7: the string does not end in this line");
  EXPECT_EQ(error_of("stage \"\\"), "model.cir:1:7: unknown escape in a string");
  EXPECT_EQ(error_of("stage \"\\q\""), "model.cir:1:7: unknown escape in a string");
  EXPECT_EQ(error_of(graph_with("  %y = silu %x at \"\\xff\"")), "model.cir:2:19: the string is not valid UTF-8");
}

}  // namespace
}  // namespace hyalite

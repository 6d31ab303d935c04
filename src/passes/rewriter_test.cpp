#include "passes/rewriter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

// %y = silu(%x), %z = mul(%y, %x), %w = add(%z, %y)
struct RewriterTest : testing::Test {
  RewriterTest() {
    ValueType type = ValueType::of({DType::f32, {Dim::tokens(), Dim(8)}});
    x = graph.add_input("x", type);
    silu = graph.append(*find_op("silu"), {x}, {}, {"y"}, {.path = "a.act"}, {type});
    mul = graph.append(*find_op("mul"), {graph.result(silu), x}, {}, {"z"}, {.path = "a.mul"}, {type});
    add = graph.append(*find_op("add"), {graph.result(mul), graph.result(silu)}, {}, {"w"}, {.path = "a.add"}, {type});
    graph.set_outputs({graph.result(add)});
  }

  Graph graph{"model"};
  std::vector<Remark> remarks;
  ValueId x;
  NodeId silu, mul, add;
};

TEST_F(RewriterTest, KnowsProducersAndUsers) {
  Rewriter rw(graph, "test", remarks);
  EXPECT_EQ(rw.producer(graph.result(silu), "silu"), silu);
  EXPECT_EQ(rw.producer(graph.result(silu), "mul"), kNone);
  EXPECT_EQ(rw.producer(x, "silu"), kNone);
  EXPECT_EQ(rw.producer(kNone, "silu"), kNone);
  EXPECT_EQ(rw.only_user(graph.result(mul)), add);
  EXPECT_EQ(rw.only_user(graph.result(silu)), kNone) << "two users";
  EXPECT_EQ(rw.only_user(graph.result(add)), kNone) << "an output";
  EXPECT_FALSE(rw.changed());
}

TEST_F(RewriterTest, ReplacementTakesNameUsesTypeAndProvenance) {
  Rewriter rw(graph, "test", remarks);
  ValueId y = graph.result(silu);
  NodeId made = rw.replace({mul, add}, *find_op("mul"), {y, y}, {}, {graph.result(add)}, "a.fused");
  EXPECT_EQ(graph.node_count(), 2);
  const Value& value = graph.value(graph.result(made));
  EXPECT_EQ(value.name, "w");
  EXPECT_EQ(to_string(value.type.tensor), "tensor<T x 8 x f32>");
  EXPECT_EQ(graph.outputs(), std::vector{graph.result(made)});
  EXPECT_EQ(graph.node(made).from, (Provenance{"a.fused", "test", {"a.mul", "a.add"}}));
  EXPECT_EQ(rw.only_user(y), made);
  EXPECT_TRUE(rw.users(x) == std::vector{silu});
  EXPECT_TRUE(rw.changed());
}

TEST_F(RewriterTest, ProvenanceOfAFusedNodeReachesTheSource) {
  Rewriter rw(graph, "test", remarks);
  NodeId first = rw.replace({silu}, *find_op("gelu_tanh"), {x}, {}, {graph.result(silu)}, "a.first");
  NodeId second = rw.replace({first}, *find_op("silu"), {x}, {}, {graph.result(first)}, "a.second");
  EXPECT_EQ(graph.node(second).from.parents, std::vector<std::string>{"a.act"});
}

TEST_F(RewriterTest, RefusesWhatWouldBreakTheOrder) {
  Rewriter rw(graph, "test", remarks);
  ValueId y = graph.result(silu), z = graph.result(mul);
  EXPECT_FALSE(rw.can_replace({silu, mul}, {x}, {z})) << "%y is used by add";
  EXPECT_TRUE(rw.can_replace({silu, mul}, {x}, {y, z}));
  EXPECT_FALSE(rw.can_replace({silu}, {z}, {y})) << "%z comes after the first use of %y";
  EXPECT_FALSE(rw.can_replace({mul, add}, {z}, {graph.result(add)})) << "%z is made by a node that goes";
  EXPECT_THROW(rw.replace({silu}, *find_op("silu"), {z}, {}, {y}, "a"), Error);
}

TEST_F(RewriterTest, EqualEditsChangeNothing) {
  Rewriter rw(graph, "test", remarks);
  rw.set_type(x, graph.value(x).type);
  rw.set_operand(mul, 1, x);
  EXPECT_FALSE(rw.changed());
  rw.set_attr(mul, "factor", 1.0);
  EXPECT_TRUE(rw.changed());
}

TEST_F(RewriterTest, InferenceNamesTheNode) {
  Rewriter rw(graph, "test", remarks);
  rw.set_type(graph.result(silu), ValueType::of({DType::f32, {Dim::tokens(), Dim(9)}}));
  try {
    rw.infer(mul);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_NE(error.where().find("%z = mul"), std::string::npos) << error.where();
  }
}

}  // namespace
}  // namespace hyalite

#include "ir/graph.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

const OpSpec& op(std::string_view name) {
  return *find_op(name);
}

// %y = silu %x; %z = add %y, %x; return %z
Graph small() {
  Graph graph("g");
  const ValueId x = graph.add_input("x", ValueType::of({DType::f32, {Dim::tokens(), Dim(4)}}));
  const ValueId y = graph.result(graph.append(op("silu"), {x}, {}, {"y"}, {}));
  const ValueId z = graph.result(graph.append(op("add"), {y, x}, {}, {"z"}, {}));
  graph.set_outputs({z});
  return graph;
}

TEST(Graph, MakesNamesUnique) {
  Graph graph = small();
  const NodeId n = graph.append(op("silu"), {0}, {}, {"y"}, {});
  EXPECT_EQ(graph.value(graph.result(n)).name, "y_1");
  EXPECT_EQ(graph.unique_name("y"), "y_2");
  EXPECT_EQ(graph.find_value("y_1"), graph.result(n));
  EXPECT_EQ(graph.find_value("nobody"), kNone);
}

TEST(Graph, FreesTheNamesOfErasedNodes) {
  Graph graph = small();
  const NodeId n = graph.append(op("silu"), {0}, {}, {"w"}, {});
  graph.erase(n);
  EXPECT_EQ(graph.find_value("w"), kNone);
  EXPECT_EQ(graph.unique_name("w"), "w");
  EXPECT_EQ(graph, small());
}

TEST(Graph, Renames) {
  Graph graph = small();
  const ValueId y = graph.find_value("y");
  graph.rename(y, "z");
  EXPECT_EQ(graph.value(y).name, "z_1");
  EXPECT_EQ(graph.find_value("y"), kNone);
  graph.rename(y, "y");
  EXPECT_EQ(graph, small());
}

TEST(Graph, RefusesToEraseWhatIsUsed) {
  Graph graph = small();
  EXPECT_THROW(graph.erase(graph.order()[0]), Error);
  EXPECT_THROW(graph.erase(graph.order()[1]), Error);  // an output
  graph.replace_uses(graph.find_value("z"), graph.find_value("y"));
  graph.erase(graph.order()[1]);
  EXPECT_EQ(graph.node_count(), 1);
}

TEST(Graph, InsertsBefore) {
  Graph graph = small();
  const NodeId add = graph.order()[1];
  const NodeId n = graph.insert_before(add, op("silu"), {0}, {}, {"w"}, {});
  EXPECT_EQ(graph.order(), (std::vector<NodeId>{0, n, add}));
  EXPECT_EQ(graph.users_of(0), (std::vector<NodeId>{0, n, add}));
}

TEST(Graph, ComparesByMeaningNotById) {
  Graph graph = small();
  graph.erase(graph.append(op("silu"), {0}, {}, {"w"}, {}));
  EXPECT_EQ(graph.append(op("silu"), {0}, {}, {"v"}, {}), 3);  // an id of its own
  Graph other = small();
  EXPECT_NE(graph, other);
  other.append(op("silu"), {0}, {}, {"v"}, {});
  EXPECT_EQ(graph, other);
  other.node(other.order()[2]).from.path = "elsewhere";
  EXPECT_NE(graph, other);
}

TEST(Graph, CopiesAreIndependent) {
  const Graph graph = small();
  Graph copy = graph;
  copy.rename(copy.find_value("y"), "other");
  EXPECT_NE(graph.find_value("y"), kNone);
  EXPECT_EQ(graph.find_value("other"), kNone);
}

}  // namespace
}  // namespace hyalite

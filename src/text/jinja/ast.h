// The syntax tree of a template. Built by the parser, never changed after; rendering reads it from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja/builtins.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using Body = std::vector<Statement>;

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr star, double_star;  // *args and **kwargs, null where absent
};

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct ListDisplay {
  std::vector<ExpressionPtr> items;
};
struct TupleDisplay {
  std::vector<ExpressionPtr> items;
};
struct DictDisplay {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
struct Subscript {
  ExpressionPtr object, index;
};
struct SliceSubscript {
  ExpressionPtr object, start, stop, step;  // the last three may be null
};
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
// As in Jinja, an unknown filter or test is an error only when it is reached: templates guard some with `if`.
struct Filter {
  ExpressionPtr input;  // null at the head of a filter block
  std::string name;
  const Builtin* filter;  // null where there is none of that name
  CallArguments arguments;
};
struct Test {
  ExpressionPtr input;
  std::string name;
  const Builtin* test;  // null where there is none of that name
  CallArguments arguments;
};
enum class UnaryOperator { plus, minus, logical_not };
struct Unary {
  UnaryOperator op;
  ExpressionPtr operand;
};
enum class BinaryOperator { add, subtract, multiply, divide, floor_divide, modulo, power, logical_and, logical_or };
struct Binary {
  BinaryOperator op;
  ExpressionPtr left, right;
};
enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };
struct Compare {
  ExpressionPtr first;
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
};
struct Concat {
  std::vector<ExpressionPtr> parts;
};
struct Conditional {
  ExpressionPtr condition, then, otherwise;  // otherwise may be null
};

struct Expression {
  using Node = std::variant<Literal, Name, ListDisplay, TupleDisplay, DictDisplay, Attribute, Subscript, SliceSubscript, Call, Filter, Test,
                            Unary, Binary, Compare, Concat, Conditional>;
  uint32_t offset;
  int depth;  // levels of expressions below this one
  Node node;
};

// What `set` and `for` assign to: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  uint32_t offset;
  std::string name;
  std::string attribute;      // not empty: name.attribute
  std::vector<Target> tuple;  // not empty or is_tuple: name is unused
  bool is_tuple = false;
};

struct Parameter {
  std::string name;
  ExpressionPtr default_value;  // null: required, undefined when missing
};

struct Data {
  std::string text;
};
struct Output {
  std::vector<ExpressionPtr> expressions;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct For {
  Target target;
  ExpressionPtr iterable, condition;  // condition may be null
  Body body, otherwise;
  bool recursive = false;
};
struct Break {};
struct Continue {};
struct Set {
  Target target;
  ExpressionPtr value;
};
struct SetBlock {
  Target target;
  ExpressionPtr filter;  // a chain of Filter nodes whose head has no input, or null
  Body body;
};
struct Macro {
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  bool uses_varargs = false, uses_kwargs = false;
};
struct CallBlock {
  ExpressionPtr call;
  Macro caller;
};
struct FilterBlock {
  ExpressionPtr filter;
  Body body;
};
struct With {
  std::vector<std::pair<Target, ExpressionPtr>> assignments;
  Body body;
};

struct Statement {
  using Node = std::variant<Data, Output, If, For, Break, Continue, Set, SetBlock, Macro, CallBlock, FilterBlock, With>;
  uint32_t offset;
  Node node;
};

}  // namespace hyalite::jinja

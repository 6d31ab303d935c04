#include "ir/parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "ir/lexer.h"
#include "ir/text_form.h"
#include "ops/schema.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

using Kind = Token::Kind;

constexpr size_t kMaxResults = 16;

// Recursive descent without recursion: nothing in the grammar nests. One method per rule.
class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : lexer_(text, file), token_(lexer_.next()) {}

  Module module();

 private:
  Graph graph();
  void inputs(Graph& graph);
  void node(Graph& graph);
  void outputs(Graph& graph);
  std::vector<std::string> results(const Graph& graph);
  std::vector<ValueId> operands(const Graph& graph, const OpSpec& op, const Token& at);
  Attrs attrs(const OpSpec& op, const Token& at);
  AttrValue attr_value(bool reals);
  AttrValue list(bool reals);
  AttrValue number();
  std::vector<ValueType> types();
  ValueType type();
  TensorType tensor();
  Dim dim(const Token& token);
  Provenance provenance();

  bool at(std::string_view text) const { return (token_.kind == Kind::word || token_.kind == Kind::punctuation) && token_.text == text; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  Token take(Kind kind, const char* what);
  std::string string();
  [[noreturn]] void unexpected(const std::string& wanted) const;
  ValueId defined(const Graph& graph, const Token& token) const;
  std::string fresh_name(const Graph& graph, const Token& token) const;

  Lexer lexer_;
  Token token_;                          // the next one, not yet taken
  std::vector<ValueType> output_types_;  // as the header of the graph at hand says
};

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  token_ = lexer_.next();
  return true;
}

void Parser::unexpected(const std::string& wanted) const {
  if (token_.kind == Kind::end) lexer_.fail(token_, "the text ends where " + wanted + " is expected");
  const char* prefix = token_.kind == Kind::value ? "%" : token_.kind == Kind::symbol ? "@" : "";
  lexer_.fail(token_, "expected " + wanted + ", found " + prefix + std::string(token_.text.substr(0, 64)));
}

void Parser::expect(std::string_view text) {
  if (!accept(text)) unexpected("'" + std::string(text) + "'");
}

Token Parser::take(Kind kind, const char* what) {
  if (token_.kind != kind) unexpected(what);
  Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

std::string Parser::string() {
  return lexer_.decoded(take(Kind::string, "a string"));
}

ValueId Parser::defined(const Graph& graph, const Token& token) const {
  const std::string name = lexer_.decoded(token);
  const ValueId id = graph.find_value(name);
  if (id == kNone) lexer_.fail(token, "%" + name + " is not defined");
  return id;
}

std::string Parser::fresh_name(const Graph& graph, const Token& token) const {
  std::string name = lexer_.decoded(token);
  if (name.empty()) lexer_.fail(token, "a value's name is empty");
  if (graph.find_value(name) != kNone) lexer_.fail(token, "%" + name + " is defined twice");
  return name;
}

Module Parser::module() {
  Module module;
  if (accept("stage")) module.stage = string();
  while (token_.kind != Kind::end) {
    const Token start = token_;
    Graph next = graph();
    if (module.find(next.name())) lexer_.fail(start, "graph @" + next.name() + " is defined twice");
    module.graphs.push_back(std::move(next));
    if (module.graphs.size() > 64) lexer_.fail(start, "more than 64 graphs");
  }
  return module;
}

Graph Parser::graph() {
  expect("graph");
  Graph graph(lexer_.decoded(take(Kind::symbol, "a graph name such as @decode")));
  expect("(");
  inputs(graph);
  const Token arrow = token_;
  output_types_.clear();
  const bool declared = accept("->");
  if (declared) {
    expect("(");
    if (!at(")")) output_types_ = types();
    expect(")");
  }
  expect("{");
  while (!at("return")) node(graph);
  outputs(graph);
  expect("}");
  const auto matches = [&](ValueId id, const ValueType& type) { return graph.value(id).type == type; };
  if (declared && !std::ranges::equal(graph.outputs(), output_types_, matches))
    lexer_.fail(arrow, "the result types of graph @" + graph.name() + " are not those of the values it returns");
  return graph;
}

void Parser::inputs(Graph& graph) {
  if (accept(")")) return;
  do {
    const std::string name = fresh_name(graph, take(Kind::value, "a value"));
    expect(":");
    graph.add_input(name, type());
  } while (accept(","));
  expect(")");
}

void Parser::outputs(Graph& graph) {
  expect("return");
  std::vector<ValueId> ids;
  if (token_.kind == Kind::value) do {
      ids.push_back(defined(graph, take(Kind::value, "a value")));
    } while (accept(","));
  graph.set_outputs(std::move(ids));
}

std::vector<std::string> Parser::results(const Graph& graph) {
  std::vector<std::string> names;
  do {
    const Token token = take(Kind::value, "a node or return");
    names.push_back(fresh_name(graph, token));
    if (std::ranges::count(names, names.back()) > 1) lexer_.fail(token, "%" + names.back() + " is defined twice");
    if (names.size() > kMaxResults) lexer_.fail(token, "a node has at most " + std::to_string(kMaxResults) + " results");
  } while (accept(","));
  return names;
}

void Parser::node(Graph& graph) {
  if (!token_.starts_line) unexpected("a new line for the next node");
  std::vector<std::string> names = results(graph);
  expect("=");
  const Token name = take(Kind::word, "an op");
  const OpSpec* op = find_op(name.text);
  if (!op) lexer_.fail(name, "unknown op " + std::string(name.text.substr(0, 64)));
  if (names.size() != op->results.size())
    lexer_.fail(name,
                std::string(op->name) + " has " + std::to_string(op->results.size()) + " results, not " + std::to_string(names.size()));
  std::vector<ValueId> values = operands(graph, *op, name);
  Attrs attributes = attrs(*op, name);
  std::vector<ValueType> result_types;
  const Token colon = token_;
  if (accept(":")) {
    result_types = types();
    if (result_types.size() != names.size()) lexer_.fail(colon, "expected a type for each of " + std::to_string(names.size()) + " results");
  }
  Provenance from = provenance();
  graph.append(*op, std::move(values), std::move(attributes), std::move(names), std::move(from), std::move(result_types));
}

std::vector<ValueId> Parser::operands(const Graph& graph, const OpSpec& op, const Token& at_op) {
  std::vector<ValueId> ids;
  const size_t wanted = op.operands.size();
  const std::string rule = std::string(op.name) + " takes " + std::to_string(wanted) + " operands";
  const auto operand_follows = [&] { return !token_.starts_line && (token_.kind == Kind::value || at("none")); };
  if (operand_follows()) do {
      if (!operand_follows()) unexpected("an operand");
      if (ids.size() == wanted) lexer_.fail(token_, rule + ", this is one more");
      if (at("none") && !op.operands[ids.size()].optional)
        lexer_.fail(token_, "operand " + std::string(op.operands[ids.size()].name) + " of " + std::string(op.name) + " is not optional");
      ids.push_back(accept("none") ? kNone : defined(graph, take(Kind::value, "an operand")));
    } while (accept(","));
  if (ids.size() != wanted) lexer_.fail(at_op, rule + ", not " + std::to_string(ids.size()));
  return ids;
}

Attrs Parser::attrs(const OpSpec& op, const Token& at_op) {
  Attrs attributes;
  if (accept("{") && !accept("}")) {
    do {
      const Token name = take(Kind::word, "an attribute");
      const AttrSpec* spec = find_attr(op, name.text);
      if (!spec) lexer_.fail(name, std::string(op.name) + " has no attribute " + std::string(name.text.substr(0, 64)));
      if (attributes.has(name.text)) lexer_.fail(name, "attribute " + std::string(name.text) + " is given twice");
      expect("=");
      const Token start = token_;
      AttrValue value = attr_value(spec->type == std::string_view("reals"));
      if (!fits(*spec, value)) lexer_.fail(start, "attribute " + std::string(name.text) + " must be " + describe(*spec));
      attributes.set(name.text, std::move(value));
    } while (accept(","));
    expect("}");
  }
  if (const AttrSpec* missing = first_missing(op, attributes))
    lexer_.fail(at_op, std::string(op.name) + " needs attribute " + missing->name);
  return attributes;
}

AttrValue Parser::attr_value(bool reals) {
  if (token_.kind == Kind::string) return string();
  if (accept("true")) return true;
  if (accept("false")) return false;
  if (accept("[")) return list(reals);
  return number();
}

// `reals`: the schema asks for reals, so that integers (and an empty list) read as such.
AttrValue Parser::list(bool reals) {
  std::vector<double> values;
  std::vector<int64_t> integers;
  if (!accept("]")) {
    do {
      const AttrValue value = number();
      const int64_t* integer = std::get_if<int64_t>(&value);
      values.push_back(integer ? static_cast<double>(*integer) : std::get<double>(value));
      if (integer) integers.push_back(*integer);
    } while (accept(","));
    expect("]");
  }
  if (reals || integers.size() != values.size()) return values;
  return integers;
}

AttrValue Parser::number() {
  const Token token = take(Kind::number, "a value");
  const char *begin = token.text.data(), *end = begin + token.text.size();
  if (token.text.find_first_of(".eE") == std::string_view::npos) {
    int64_t integer = 0;
    const auto [stop, error] = std::from_chars(begin, end, integer);
    if (error != std::errc() || stop != end) lexer_.fail(token, "not an integer of 64 bits");
    return integer;
  }
  double real = 0;
  const auto [stop, error] = std::from_chars(begin, end, real);
  if (error != std::errc() || stop != end || !std::isfinite(real)) lexer_.fail(token, "not a number in the range of a double");
  return real;
}

std::vector<ValueType> Parser::types() {
  std::vector<ValueType> list;
  do list.push_back(type());
  while (accept(","));
  return list;
}

ValueType Parser::type() {
  if (accept("?")) return ValueType::unknown();
  if (accept("batch")) return ValueType::batch();
  if (accept("cache")) return ValueType::cache();
  const Token start = token_;
  ValueType type = ValueType::of(tensor());
  try {
    check_type(type, "type");
  } catch (const Error& error) {
    lexer_.fail(start, error.message());
  }
  return type;
}

TensorType Parser::tensor() {
  if (!accept("tensor")) unexpected("a type");
  expect("<");
  TensorType type;
  while (true) {
    const Token token = token_.kind == Kind::number ? take(Kind::number, "a dimension") : take(Kind::word, "a dimension or format");
    if (!accept("x")) {
      const auto dtype = dtype_named(token.text);
      if (!dtype) lexer_.fail(token, "unknown element format " + std::string(token.text.substr(0, 64)));
      type.dtype = *dtype;
      expect(">");
      return type;
    }
    if (type.rank() == kMaxRank) lexer_.fail(token, "a tensor has at most " + std::to_string(kMaxRank) + " dimensions");
    type.dims.push_back(dim(token));
  }
}

Dim Parser::dim(const Token& token) {
  if (token.text == "T" || token.text == "B" || token.text == "L") return Dim::symbol(token.text[0]);
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc() || stop != token.text.data() + token.text.size() || value <= 0)
    lexer_.fail(token, "a dimension is a positive integer, T, B or L");
  return Dim(value);
}

Provenance Parser::provenance() {
  Provenance from;
  if (accept("at")) from.path = string();
  if (accept("by")) from.pass = string();
  if (accept("from")) do
      from.parents.push_back(string());
    while (accept(","));
  return from;
}

}  // namespace

Module parse_module(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).module();
}

}  // namespace hyalite

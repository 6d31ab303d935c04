#include "text/jinja/expression_parser.h"

#include <algorithm>
#include <charconv>

namespace hyalite::jinja {

namespace {

// Deeper expressions are refused: evaluation and destruction recurse as deep as the tree.
constexpr int max_expression_depth = 150;

int depth_of(const ExpressionPtr& child) {
  return child ? child->depth + 1 : 0;
}

int depth_of(const std::vector<ExpressionPtr>& children) {
  int depth = 0;
  for (const ExpressionPtr& child : children) depth = std::max(depth, depth_of(child));
  return depth;
}

int depth_of(const CallArguments& arguments) {
  int depth = std::max({depth_of(arguments.positional), depth_of(arguments.star), depth_of(arguments.double_star)});
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}

struct ChildDepth {
  int operator()(const Literal&) const { return 0; }
  int operator()(const Name&) const { return 0; }
  int operator()(const ListDisplay& n) const { return depth_of(n.items); }
  int operator()(const TupleDisplay& n) const { return depth_of(n.items); }
  int operator()(const DictDisplay& n) const {
    int depth = 0;
    for (const auto& [key, value] : n.items) depth = std::max({depth, depth_of(key), depth_of(value)});
    return depth;
  }
  int operator()(const Attribute& n) const { return depth_of(n.object); }
  int operator()(const Subscript& n) const { return std::max(depth_of(n.object), depth_of(n.index)); }
  int operator()(const SliceSubscript& n) const {
    return std::max({depth_of(n.object), depth_of(n.start), depth_of(n.stop), depth_of(n.step)});
  }
  int operator()(const Call& n) const { return std::max(depth_of(n.callee), depth_of(n.arguments)); }
  int operator()(const Filter& n) const { return std::max(depth_of(n.input), depth_of(n.arguments)); }
  int operator()(const Test& n) const { return std::max(depth_of(n.input), depth_of(n.arguments)); }
  int operator()(const Unary& n) const { return depth_of(n.operand); }
  int operator()(const Binary& n) const { return std::max(depth_of(n.left), depth_of(n.right)); }
  int operator()(const Compare& n) const {
    int depth = depth_of(n.first);
    for (const auto& [op, value] : n.rest) depth = std::max(depth, depth_of(value));
    return depth;
  }
  int operator()(const Concat& n) const { return depth_of(n.parts); }
  int operator()(const Conditional& n) const { return std::max({depth_of(n.condition), depth_of(n.then), depth_of(n.otherwise)}); }
};

}  // namespace

// Counts how deep the parser's own recursion is.
class ExpressionParser::Nesting {
 public:
  explicit Nesting(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.nesting_ > max_expression_depth) {
      --parser_.nesting_;
      parser_.stream_.fail("the expression nests too deeply");
    }
  }
  ~Nesting() { --parser_.nesting_; }

 private:
  ExpressionParser& parser_;
};

ExpressionPtr ExpressionParser::make(uint32_t offset, Expression::Node node) {
  int depth = std::visit(ChildDepth{}, node);
  if (depth > max_expression_depth) stream_.fail_at(offset, "the expression nests too deeply");
  return std::make_unique<Expression>(Expression{offset, depth, std::move(node)});
}

ExpressionPtr ExpressionParser::parse() {
  return parse_conditional();
}

ExpressionPtr ExpressionParser::parse_conditional() {
  Nesting nesting(*this);
  uint32_t offset = stream_.current().offset;
  ExpressionPtr then = parse_or();
  while (stream_.skip_name("if")) {
    ExpressionPtr condition = parse_or();
    ExpressionPtr otherwise = stream_.skip_name("else") ? parse_conditional() : nullptr;
    then = make(offset, Conditional{std::move(condition), std::move(then), std::move(otherwise)});
  }
  return then;
}

ExpressionPtr ExpressionParser::parse_or() {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr left = parse_and();
  while (stream_.skip_name("or")) left = make(offset, Binary{BinaryOperator::logical_or, std::move(left), parse_and()});
  return left;
}

ExpressionPtr ExpressionParser::parse_and() {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr left = parse_not();
  while (stream_.skip_name("and")) left = make(offset, Binary{BinaryOperator::logical_and, std::move(left), parse_not()});
  return left;
}

ExpressionPtr ExpressionParser::parse_not() {
  uint32_t offset = stream_.current().offset;
  if (!stream_.skip_name("not")) return parse_compare();
  Nesting nesting(*this);
  return make(offset, Unary{UnaryOperator::logical_not, parse_not()});
}

ExpressionPtr ExpressionParser::parse_compare() {
  static constexpr std::pair<std::string_view, Comparison> symbols[] = {
      {"==", Comparison::equal},      {"!=", Comparison::not_equal}, {"<", Comparison::less},
      {"<=", Comparison::less_equal}, {">", Comparison::greater},    {">=", Comparison::greater_equal},
  };
  uint32_t offset = stream_.current().offset;
  ExpressionPtr first = parse_sum();
  std::vector<std::pair<Comparison, ExpressionPtr>> rest;
  for (;;) {
    auto symbol = std::find_if(std::begin(symbols), std::end(symbols), [&](const auto& s) { return stream_.at_symbol(s.first); });
    if (symbol != std::end(symbols)) {
      stream_.take();
      rest.emplace_back(symbol->second, parse_sum());
    } else if (stream_.skip_name("in")) {
      rest.emplace_back(Comparison::in, parse_sum());
    } else if (stream_.at_name("not") && stream_.next().type == TokenType::name && stream_.next().text == "in") {
      stream_.take();
      stream_.take();
      rest.emplace_back(Comparison::not_in, parse_sum());
    } else {
      break;
    }
  }
  return rest.empty() ? std::move(first) : make(offset, Compare{std::move(first), std::move(rest)});
}

ExpressionPtr ExpressionParser::parse_sum() {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr left = parse_concat();
  for (;;) {
    if (stream_.skip_symbol("+")) {
      left = make(offset, Binary{BinaryOperator::add, std::move(left), parse_concat()});
    } else if (stream_.skip_symbol("-")) {
      left = make(offset, Binary{BinaryOperator::subtract, std::move(left), parse_concat()});
    } else {
      return left;
    }
  }
}

ExpressionPtr ExpressionParser::parse_concat() {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr first = parse_product();
  if (!stream_.at_symbol("~")) return first;
  Concat concat;
  concat.parts.push_back(std::move(first));
  while (stream_.skip_symbol("~")) concat.parts.push_back(parse_product());
  return make(offset, std::move(concat));
}

ExpressionPtr ExpressionParser::parse_product() {
  static constexpr std::pair<std::string_view, BinaryOperator> symbols[] = {
      {"*", BinaryOperator::multiply},
      {"/", BinaryOperator::divide},
      {"//", BinaryOperator::floor_divide},
      {"%", BinaryOperator::modulo},
  };
  uint32_t offset = stream_.current().offset;
  ExpressionPtr left = parse_power();
  for (;;) {
    auto symbol = std::find_if(std::begin(symbols), std::end(symbols), [&](const auto& s) { return stream_.at_symbol(s.first); });
    if (symbol == std::end(symbols)) return left;
    stream_.take();
    left = make(offset, Binary{symbol->second, std::move(left), parse_power()});
  }
}

ExpressionPtr ExpressionParser::parse_power() {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr left = parse_unary(true);
  while (stream_.skip_symbol("**")) left = make(offset, Binary{BinaryOperator::power, std::move(left), parse_unary(true)});
  return left;
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filters) {
  Nesting nesting(*this);
  uint32_t offset = stream_.current().offset;
  ExpressionPtr node;
  if (stream_.skip_symbol("-")) {
    node = make(offset, Unary{UnaryOperator::minus, parse_unary(false)});
  } else if (stream_.skip_symbol("+")) {
    node = make(offset, Unary{UnaryOperator::plus, parse_unary(false)});
  } else {
    node = parse_primary();
  }
  node = parse_postfix(std::move(node));
  return with_filters ? parse_filters(std::move(node)) : std::move(node);
}

ExpressionPtr ExpressionParser::parse_primary() {
  uint32_t offset = stream_.current().offset;
  switch (stream_.current().type) {
    case TokenType::name: return parse_name();
    case TokenType::integer:
    case TokenType::real: return parse_number();
    case TokenType::string: {
      std::string text;
      while (stream_.at(TokenType::string)) text += stream_.take().text;
      return make(offset, Literal{Value::text(text)});
    }
    default: break;
  }
  if (stream_.at_symbol("(")) return parse_parentheses();
  if (stream_.at_symbol("[")) return parse_list();
  if (stream_.at_symbol("{")) return parse_dict();
  stream_.fail("expected an expression, got " + stream_.describe());
}

ExpressionPtr ExpressionParser::parse_name() {
  const Token& token = stream_.take();
  const std::string& name = token.text;
  if (name == "true" || name == "True") return make(token.offset, Literal{Value::boolean(true)});
  if (name == "false" || name == "False") return make(token.offset, Literal{Value::boolean(false)});
  if (name == "none" || name == "None") return make(token.offset, Literal{Value()});
  names_used.varargs = names_used.varargs || name == "varargs";
  names_used.kwargs = names_used.kwargs || name == "kwargs";
  return make(token.offset, Name{name});
}

ExpressionPtr ExpressionParser::parse_number() {
  const Token& token = stream_.take();
  std::string_view digits = token.text;
  if (token.type == TokenType::real) {
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return make(token.offset, Literal{Value::real(value)});
  }
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && digits[1] > '9') {
    char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    digits.remove_prefix(2);
  }
  int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    stream_.fail_at(token.offset, "the integer is malformed or does not fit in 64 bits");
  }
  return make(token.offset, Literal{Value::integer(value)});
}

bool ExpressionParser::at_tuple_end() const {
  return stream_.at(TokenType::output_end) || stream_.at(TokenType::block_end) || stream_.at_symbol(")");
}

ExpressionPtr ExpressionParser::parse_tuple(bool conditional) {
  uint32_t offset = stream_.current().offset;
  ExpressionPtr first = conditional ? parse_conditional() : parse_or();
  if (!stream_.at_symbol(",")) return first;
  TupleDisplay tuple;
  tuple.items.push_back(std::move(first));
  while (stream_.skip_symbol(",")) {
    if (at_tuple_end() || stream_.at_name("recursive")) break;
    tuple.items.push_back(conditional ? parse_conditional() : parse_or());
  }
  return make(offset, std::move(tuple));
}

ExpressionPtr ExpressionParser::parse_parentheses() {
  uint32_t offset = stream_.take().offset;
  if (stream_.skip_symbol(")")) return make(offset, TupleDisplay{});
  ExpressionPtr node = parse_tuple(true);
  stream_.expect_symbol(")");
  return node;
}

ExpressionPtr ExpressionParser::parse_list() {
  uint32_t offset = stream_.take().offset;
  ListDisplay list;
  while (!stream_.at_symbol("]")) {
    list.items.push_back(parse());
    if (!stream_.skip_symbol(",")) break;
  }
  stream_.expect_symbol("]");
  return make(offset, std::move(list));
}

ExpressionPtr ExpressionParser::parse_dict() {
  uint32_t offset = stream_.take().offset;
  DictDisplay dict;
  while (!stream_.at_symbol("}")) {
    ExpressionPtr key = parse();
    stream_.expect_symbol(":");
    dict.items.emplace_back(std::move(key), parse());
    if (!stream_.skip_symbol(",")) break;
  }
  stream_.expect_symbol("}");
  return make(offset, std::move(dict));
}

}  // namespace hyalite::jinja

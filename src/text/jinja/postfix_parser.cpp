// What may follow an expression: attributes, subscripts, calls, filters and tests.
#include "text/jinja/expression_parser.h"

namespace hyalite::jinja {

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr node) {
  for (;;) {
    if (stream_.at_symbol(".")) {
      node = parse_dot(std::move(node));
    } else if (stream_.at_symbol("[")) {
      node = parse_subscript(std::move(node));
    } else if (stream_.at_symbol("(")) {
      node = parse_call(std::move(node));
    } else {
      return node;
    }
  }
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr node) {
  for (;;) {
    if (stream_.at_symbol("|")) {
      stream_.take();
      node = parse_filter(std::move(node));
    } else if (stream_.at_name("is")) {
      node = parse_test(std::move(node));
    } else if (stream_.at_symbol("(")) {
      node = parse_call(std::move(node));
    } else {
      return node;
    }
  }
}

ExpressionPtr ExpressionParser::parse_dot(ExpressionPtr object) {
  uint32_t offset = stream_.take().offset;
  if (stream_.at(TokenType::integer)) return make(offset, Subscript{std::move(object), parse_number()});
  return make(offset, Attribute{std::move(object), stream_.expect_any_name()});
}

ExpressionPtr ExpressionParser::parse_subscript(ExpressionPtr object) {
  uint32_t offset = stream_.take().offset;
  ExpressionPtr start = stream_.at_symbol(":") ? nullptr : parse();
  if (start && stream_.at_symbol(",")) stream_.fail("a subscript takes one index or slice");
  if (!stream_.skip_symbol(":")) {
    stream_.expect_symbol("]");
    return make(offset, Subscript{std::move(object), std::move(start)});
  }
  ExpressionPtr stop, step;
  if (!stream_.at_symbol(":") && !stream_.at_symbol("]")) stop = parse();
  if (stream_.skip_symbol(":") && !stream_.at_symbol("]")) step = parse();
  stream_.expect_symbol("]");
  return make(offset, SliceSubscript{std::move(object), std::move(start), std::move(stop), std::move(step)});
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = stream_.expect_any_name();
  while (stream_.skip_symbol(".")) name += "." + stream_.expect_any_name();
  return name;
}

ExpressionPtr ExpressionParser::parse_filter(ExpressionPtr input) {
  uint32_t offset = stream_.current().offset;
  std::string name = parse_dotted_name();
  const Builtin* filter = find_filter(name);
  CallArguments arguments;
  if (stream_.at_symbol("(")) arguments = parse_arguments();
  return make(offset, Filter{std::move(input), std::move(name), filter, std::move(arguments)});
}

ExpressionPtr ExpressionParser::parse_filter_chain() {
  ExpressionPtr node = parse_filter(nullptr);
  while (stream_.skip_symbol("|")) node = parse_filter(std::move(node));
  return node;
}

ExpressionPtr ExpressionParser::parse_test(ExpressionPtr input) {
  uint32_t offset = stream_.take().offset;
  bool negated = stream_.skip_name("not");
  std::string name = parse_dotted_name();
  const Builtin* test = find_test(name);
  CallArguments arguments;
  bool operand = stream_.at(TokenType::name) || stream_.at(TokenType::string) || stream_.at(TokenType::integer) ||
                 stream_.at(TokenType::real) || stream_.at_symbol("[") || stream_.at_symbol("{");
  if (stream_.at_symbol("(")) {
    arguments = parse_arguments();
  } else if (operand && !stream_.at_name("else") && !stream_.at_name("or") && !stream_.at_name("and")) {
    if (stream_.at_name("is")) stream_.fail("tests cannot be chained with 'is'");
    arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  ExpressionPtr node = make(offset, Test{std::move(input), std::move(name), test, std::move(arguments)});
  return negated ? make(offset, Unary{UnaryOperator::logical_not, std::move(node)}) : std::move(node);
}

ExpressionPtr ExpressionParser::parse_call(ExpressionPtr callee) {
  uint32_t offset = stream_.current().offset;
  return make(offset, Call{std::move(callee), parse_arguments()});
}

CallArguments ExpressionParser::parse_arguments() {
  CallArguments arguments;
  stream_.expect_symbol("(");
  while (!stream_.at_symbol(")")) {
    parse_argument(arguments);
    if (!stream_.skip_symbol(",")) break;
  }
  stream_.expect_symbol(")");
  return arguments;
}

void ExpressionParser::parse_argument(CallArguments& arguments) {
  auto ensure = [this](bool fine) {
    if (!fine) stream_.fail("the arguments are in a wrong order");
  };
  if (stream_.skip_symbol("*")) {
    ensure(!arguments.star && !arguments.double_star);
    arguments.star = parse();
  } else if (stream_.skip_symbol("**")) {
    ensure(!arguments.double_star);
    arguments.double_star = parse();
  } else if (stream_.at(TokenType::name) && stream_.next().type == TokenType::symbol && stream_.next().text == "=") {
    ensure(!arguments.double_star);
    std::string name = stream_.take().text;
    stream_.take();
    arguments.named.emplace_back(std::move(name), parse());
  } else {
    ensure(!arguments.star && !arguments.double_star && arguments.named.empty());
    arguments.positional.push_back(parse());
  }
}

}  // namespace hyalite::jinja

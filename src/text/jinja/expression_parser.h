// Expressions of the template language, with Jinja's precedence.
#pragma once

#include <utility>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/token_stream.h"

namespace hyalite::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& stream) : stream_(stream) {}

  ExpressionPtr parse();
  // One expression, or a tuple without parentheses. `conditional`: "a if b else c" is allowed.
  ExpressionPtr parse_tuple(bool conditional);
  // "name(args)|name..." at the head of a filter block; the first filter has no input.
  ExpressionPtr parse_filter_chain();

  // Whether the names `varargs` and `kwargs` were read since this was last reset; the statement parser asks around each macro.
  struct NamesUsed {
    bool varargs = false, kwargs = false;
  };
  NamesUsed names_used;

 private:
  class Nesting;

  ExpressionPtr make(uint32_t offset, Expression::Node node);
  ExpressionPtr parse_conditional();
  ExpressionPtr parse_or();
  ExpressionPtr parse_and();
  ExpressionPtr parse_not();
  ExpressionPtr parse_compare();
  ExpressionPtr parse_sum();
  ExpressionPtr parse_concat();
  ExpressionPtr parse_product();
  ExpressionPtr parse_power();
  ExpressionPtr parse_unary(bool with_filters);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_name();
  ExpressionPtr parse_number();
  ExpressionPtr parse_parentheses();
  ExpressionPtr parse_list();
  ExpressionPtr parse_dict();
  ExpressionPtr parse_postfix(ExpressionPtr node);
  ExpressionPtr parse_filters(ExpressionPtr node);
  ExpressionPtr parse_dot(ExpressionPtr object);
  ExpressionPtr parse_subscript(ExpressionPtr object);
  ExpressionPtr parse_filter(ExpressionPtr input);
  ExpressionPtr parse_test(ExpressionPtr input);
  ExpressionPtr parse_call(ExpressionPtr callee);
  CallArguments parse_arguments();
  void parse_argument(CallArguments& arguments);
  std::string parse_dotted_name();
  bool at_tuple_end() const;

  TokenStream& stream_;
  int nesting_ = 0;
};

}  // namespace hyalite::jinja

#include "text/jinja/parser.h"

#include <initializer_list>

#include "text/jinja/expression_parser.h"
#include "text/jinja/token_stream.h"

namespace hyalite::jinja {

namespace {

constexpr int max_statement_depth = 100;

class Parser {
 public:
  explicit Parser(const Source& source) : stream_(source), expressions_(stream_) {}

  Body parse_template() { return parse_body({}, "", 0); }

 private:
  // Statements up to a tag whose first word is one of `ends`, which stays current; with no ends, up to the end of the template.
  Body parse_body(std::initializer_list<std::string_view> ends, std::string_view opener, uint32_t opener_offset) {
    if (depth_ >= max_statement_depth) stream_.fail("the statements nest too deeply");
    ++depth_;
    Body body;
    while (!stream_.at(TokenType::end)) {
      const Token& token = stream_.take();
      if (token.type == TokenType::data) {
        body.push_back({token.offset, Data{token.text}});
      } else if (token.type == TokenType::output_begin) {
        body.push_back(parse_output(token.offset));
      } else {
        for (std::string_view end : ends) {
          if (stream_.at_name(end)) return --depth_, std::move(body);
        }
        parse_statement(body, token.offset);
      }
    }
    if (ends.size() != 0) stream_.fail_at(opener_offset, "'" + std::string(opener) + "' is not closed");
    --depth_;
    return body;
  }

  // A body that `end` closes; the closing tag is taken too.
  Body parse_block(std::string_view end, std::string_view opener, uint32_t opener_offset) {
    stream_.expect_block_end();
    Body body = parse_body({end}, opener, opener_offset);
    stream_.take();
    stream_.expect_block_end();
    return body;
  }

  Statement parse_output(uint32_t offset) {
    Output output;
    output.expressions.push_back(expressions_.parse_tuple(true));
    if (!stream_.at(TokenType::output_end)) stream_.fail("expected '}}', got " + stream_.describe());
    stream_.take();
    return {offset, std::move(output)};
  }

  void parse_statement(Body& body, uint32_t offset) {
    const std::string word = stream_.expect_any_name();
    if (word == "if") return body.push_back({offset, parse_if(offset)});
    if (word == "for") return body.push_back({offset, parse_for(offset)});
    if (word == "set") return body.push_back(parse_set(offset));
    if (word == "macro") return body.push_back({offset, parse_macro(offset)});
    if (word == "call") return body.push_back({offset, parse_call_block(offset)});
    if (word == "with") return body.push_back({offset, parse_with(offset)});
    if (word == "print") return body.push_back(parse_print(offset));
    if (word == "filter") {
      ExpressionPtr filter = expressions_.parse_filter_chain();
      return body.push_back({offset, FilterBlock{std::move(filter), parse_block("endfilter", word, offset)}});
    }
    if (word == "generation") return body.push_back({offset, With{{}, parse_block("endgeneration", word, offset)}});
    if (word == "break" || word == "continue") return body.push_back(parse_loop_control(word, offset));
    stream_.fail_at(offset, "there is no statement '" + word + "' here");
  }

  Statement parse_loop_control(const std::string& word, uint32_t offset) {
    if (loops_ == 0) stream_.fail_at(offset, "'" + word + "' outside of a loop");
    stream_.expect_block_end();
    if (word == "break") return {offset, Break{}};
    return {offset, Continue{}};
  }

  If parse_if(uint32_t offset) {
    If node;
    for (;;) {
      ExpressionPtr condition = expressions_.parse_tuple(false);
      stream_.expect_block_end();
      node.branches.emplace_back(std::move(condition), parse_body({"elif", "else", "endif"}, "if", offset));
      if (stream_.skip_name("elif")) continue;
      if (stream_.skip_name("else")) {
        node.otherwise = parse_block("endif", "if", offset);
      } else {
        stream_.take();
        stream_.expect_block_end();
      }
      return node;
    }
  }

  For parse_for(uint32_t offset) {
    For node;
    node.target = parse_target(false);
    stream_.expect_name("in");
    node.iterable = expressions_.parse_tuple(false);
    if (stream_.skip_name("if")) node.condition = expressions_.parse();
    node.recursive = stream_.skip_name("recursive");
    stream_.expect_block_end();
    ++loops_;
    node.body = parse_body({"else", "endfor"}, "for", offset);
    --loops_;
    if (stream_.skip_name("else")) {
      node.otherwise = parse_block("endfor", "for", offset);
    } else {
      stream_.take();
      stream_.expect_block_end();
    }
    return node;
  }

  Statement parse_set(uint32_t offset) {
    Target target = parse_target(true);
    if (stream_.skip_symbol("=")) {
      ExpressionPtr value = expressions_.parse_tuple(true);
      stream_.expect_block_end();
      return {offset, Set{std::move(target), std::move(value)}};
    }
    ExpressionPtr filter;
    if (stream_.skip_symbol("|")) filter = expressions_.parse_filter_chain();
    return {offset, SetBlock{std::move(target), std::move(filter), parse_block("endset", "set", offset)}};
  }

  Target parse_target(bool with_namespace) {
    uint32_t offset = stream_.current().offset;
    Target first = parse_one_target(with_namespace);
    if (!stream_.at_symbol(",")) return first;
    Target tuple{offset, "", "", {}, true};
    tuple.tuple.push_back(std::move(first));
    while (stream_.skip_symbol(",")) {
      if (!stream_.at(TokenType::name) && !stream_.at_symbol("(")) break;
      if (stream_.at_name("in")) break;
      tuple.tuple.push_back(parse_one_target(with_namespace));
    }
    return tuple;
  }

  Target parse_one_target(bool with_namespace) {
    Target target{stream_.current().offset, "", "", {}, false};
    if (stream_.skip_symbol("(")) {
      if (++depth_ > max_statement_depth) stream_.fail("the assignment nests too deeply");
      target = parse_target(false);
      --depth_;
      stream_.expect_symbol(")");
      return target;
    }
    target.name = stream_.expect_any_name();
    static constexpr std::string_view constants[] = {"true", "false", "none", "True", "False", "None"};
    for (std::string_view constant : constants) {
      if (target.name == constant) stream_.fail_at(target.offset, "cannot assign to '" + target.name + "'");
    }
    if (with_namespace && stream_.skip_symbol(".")) target.attribute = stream_.expect_any_name();
    return target;
  }

  std::vector<Parameter> parse_parameters() {
    std::vector<Parameter> parameters;
    stream_.expect_symbol("(");
    while (!stream_.at_symbol(")")) {
      Parameter parameter{stream_.expect_any_name(), nullptr};
      if (stream_.skip_symbol("=")) {
        parameter.default_value = expressions_.parse();
      } else if (!parameters.empty() && parameters.back().default_value) {
        stream_.fail("a parameter without default follows one with a default");
      }
      parameters.push_back(std::move(parameter));
      if (!stream_.at_symbol(")")) stream_.expect_symbol(",");
    }
    stream_.take();
    return parameters;
  }

  // The body of a macro or call block. A loop around it cannot be left from inside.
  void parse_macro_body(Macro& macro, std::string_view end, std::string_view opener, uint32_t offset) {
    auto outer_names = std::exchange(expressions_.names_used, {});
    int outer_loops = std::exchange(loops_, 0);
    macro.body = parse_block(end, opener, offset);
    macro.uses_varargs = expressions_.names_used.varargs;
    macro.uses_kwargs = expressions_.names_used.kwargs;
    expressions_.names_used = outer_names;
    loops_ = outer_loops;
  }

  Macro parse_macro(uint32_t offset) {
    Macro macro;
    macro.name = stream_.expect_any_name();
    macro.parameters = parse_parameters();
    parse_macro_body(macro, "endmacro", "macro", offset);
    return macro;
  }

  CallBlock parse_call_block(uint32_t offset) {
    CallBlock node;
    node.caller.name = "caller";
    if (stream_.at_symbol("(")) node.caller.parameters = parse_parameters();
    node.call = expressions_.parse();
    if (!std::holds_alternative<Call>(node.call->node)) stream_.fail_at(offset, "'call' needs a call of a macro");
    parse_macro_body(node.caller, "endcall", "call", offset);
    return node;
  }

  With parse_with(uint32_t offset) {
    With node;
    while (!stream_.at(TokenType::block_end)) {
      Target target = parse_target(false);
      stream_.expect_symbol("=");
      node.assignments.emplace_back(std::move(target), expressions_.parse());
      if (!stream_.skip_symbol(",")) break;
    }
    node.body = parse_block("endwith", "with", offset);
    return node;
  }

  Statement parse_print(uint32_t offset) {
    Output output;
    while (!stream_.at(TokenType::block_end)) {
      output.expressions.push_back(expressions_.parse());
      if (!stream_.skip_symbol(",")) break;
    }
    stream_.expect_block_end();
    return {offset, std::move(output)};
  }

  TokenStream stream_;
  ExpressionParser expressions_;
  int depth_ = 0, loops_ = 0;
};

}  // namespace

Body parse(const Source& source) {
  return Parser(source).parse_template();
}

}  // namespace hyalite::jinja

// Runs a syntax tree.
#pragma once

#include <memory>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/context.h"
#include "text/jinja/objects.h"

namespace hyalite::jinja {

using ScopePtr = std::shared_ptr<Scope>;

// One interpreter serves one rendering, on one thread. The tree, the context and the variables outlive it.
class Interpreter {
 public:
  explicit Interpreter(Context& context) : context_(context) {}
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // `variables` hide the built-in functions of the same name.
  MarkedText render(const Body& body, const std::vector<std::pair<std::string, Value>>& variables);

 private:
  friend class MacroObject;
  enum class Flow { normal, break_loop, continue_loop };

  // Statements (statements.cpp). `out` is where the text goes.
  Flow run(const Body& body, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const Data& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const Output& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const If& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const For& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const Break&, const ScopePtr&, MarkedText&) { return Flow::break_loop; }
  Flow run_node(const Continue&, const ScopePtr&, MarkedText&) { return Flow::continue_loop; }
  Flow run_node(const Set& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const SetBlock& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const Macro& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const CallBlock& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const FilterBlock& node, const ScopePtr& scope, MarkedText& out);
  Flow run_node(const With& node, const ScopePtr& scope, MarkedText& out);
  Flow run_loop(const For& node, const Value& iterable, const ScopePtr& scope, MarkedText& out, int depth);
  // The text of a body in a scope of its own.
  Value capture(const Body& body, const ScopePtr& scope);
  void assign(const Target& target, Value value, Scope& scope);
  Value make_macro(const Macro& macro, const ScopePtr& scope);
  Value call_macro(const Macro& macro, const ScopePtr& scope, Arguments& arguments);
  void bind_parameters(const Macro& macro, const ScopePtr& scope, Arguments& arguments);

  // Expressions (expressions.cpp).
  Value evaluate(const Expression& expression, const Scope& scope);
  Value evaluate_node(const Literal& node, const Scope& scope);
  Value evaluate_node(const Name& node, const Scope& scope);
  Value evaluate_node(const ListDisplay& node, const Scope& scope);
  Value evaluate_node(const TupleDisplay& node, const Scope& scope);
  Value evaluate_node(const DictDisplay& node, const Scope& scope);
  Value evaluate_node(const Attribute& node, const Scope& scope);
  Value evaluate_node(const Subscript& node, const Scope& scope);
  Value evaluate_node(const SliceSubscript& node, const Scope& scope);
  Value evaluate_node(const Call& node, const Scope& scope);
  Value evaluate_node(const Filter& node, const Scope& scope);
  Value evaluate_node(const Test& node, const Scope& scope);
  Value evaluate_node(const Unary& node, const Scope& scope);
  Value evaluate_node(const Binary& node, const Scope& scope);
  Value evaluate_node(const Compare& node, const Scope& scope);
  Value evaluate_node(const Concat& node, const Scope& scope);
  Value evaluate_node(const Conditional& node, const Scope& scope);
  std::vector<Value> evaluate_all(const std::vector<ExpressionPtr>& expressions, const Scope& scope);
  Arguments evaluate_arguments(const CallArguments& arguments, const Scope& scope);
  Value call(const Value& callee, Arguments& arguments);
  Value apply_filter(const Filter& node, const Value& input, const Scope& scope);
  // Runs the filters of a chain whose head has no input on `input`.
  Value apply_filters(const Expression& chain, const Value& input, const Scope& scope);

  Context& context_;
  std::vector<ScopePtr> captured_;  // scopes that macros refer to; macros do not own them, since a scope holds its macros
};

}  // namespace hyalite::jinja

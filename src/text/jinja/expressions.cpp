#include "text/jinja/interpreter.h"
#include "text/jinja/operators.h"
#include "text/jinja/printing.h"

namespace hyalite::jinja {

Value Interpreter::evaluate(const Expression& expression, const Scope& scope) {
  Context::Frame frame(context_, expression.offset);
  return std::visit([&](const auto& node) { return evaluate_node(node, scope); }, expression.node);
}

std::vector<Value> Interpreter::evaluate_all(const std::vector<ExpressionPtr>& expressions, const Scope& scope) {
  std::vector<Value> values;
  values.reserve(expressions.size());
  for (const ExpressionPtr& expression : expressions) values.push_back(evaluate(*expression, scope));
  return values;
}

Value Interpreter::evaluate_node(const Literal& node, const Scope&) {
  return node.value;
}

Value Interpreter::evaluate_node(const Name& node, const Scope& scope) {
  if (const Value* found = scope.find(node.name)) return *found;
  if (const Builtin* builtin = find_global(node.name)) return bound_method(*builtin, Value());
  return Value::undefined("'" + node.name + "' is undefined");
}

Value Interpreter::evaluate_node(const ListDisplay& node, const Scope& scope) {
  return Value::list(evaluate_all(node.items, scope));
}

Value Interpreter::evaluate_node(const TupleDisplay& node, const Scope& scope) {
  return Value::tuple(evaluate_all(node.items, scope));
}

Value Interpreter::evaluate_node(const DictDisplay& node, const Scope& scope) {
  Dict dict;
  for (const auto& [key_node, value_node] : node.items) {
    Value key = evaluate(*key_node, scope);
    std::string type(key.type_name());
    if (!dict.set(context_, std::move(key), evaluate(*value_node, scope))) context_.fail("unhashable type: '" + type + "'");
  }
  return Value::dict(std::move(dict));
}

Value Interpreter::evaluate_node(const Attribute& node, const Scope& scope) {
  return get_attribute(context_, evaluate(*node.object, scope), node.name);
}

Value Interpreter::evaluate_node(const Subscript& node, const Scope& scope) {
  Value object = evaluate(*node.object, scope);
  return get_item(context_, object, evaluate(*node.index, scope));
}

Value Interpreter::evaluate_node(const SliceSubscript& node, const Scope& scope) {
  Value object = evaluate(*node.object, scope);
  auto bound = [&](const ExpressionPtr& expression) { return expression ? evaluate(*expression, scope) : Value(); };
  Value start = bound(node.start), stop = bound(node.stop), step = bound(node.step);
  return get_slice(context_, object, start, stop, step);
}

Arguments Interpreter::evaluate_arguments(const CallArguments& nodes, const Scope& scope) {
  Arguments arguments{evaluate_all(nodes.positional, scope), {}};
  for (const auto& [name, node] : nodes.named) arguments.named.emplace_back(name, evaluate(*node, scope));
  if (nodes.star) {
    for (Value& item : iterate(context_, evaluate(*nodes.star, scope))) arguments.positional.push_back(std::move(item));
  }
  if (nodes.double_star) {
    Value mapping = evaluate(*nodes.double_star, scope);
    if (!mapping.is(Kind::dict)) context_.fail("the argument after ** must be a mapping, not " + std::string(mapping.type_name()));
    for (const auto& [key, value] : mapping.as_dict().items) {
      if (!key.is(Kind::text)) context_.fail("keywords must be strings");
      arguments.named.emplace_back(key.as_bytes(), value);
    }
  }
  return arguments;
}

Value Interpreter::call(const Value& callee, Arguments& arguments) {
  if (callee.is(Kind::undefined)) context_.fail(callee.undefined_message());
  if (!callee.is(Kind::object)) context_.fail("'" + std::string(callee.type_name()) + "' object is not callable");
  return callee.as_object().call(context_, arguments);
}

Value Interpreter::evaluate_node(const Call& node, const Scope& scope) {
  Value callee = evaluate(*node.callee, scope);
  Arguments arguments = evaluate_arguments(node.arguments, scope);
  return call(callee, arguments);
}

Value Interpreter::evaluate_node(const Filter& node, const Scope& scope) {
  return apply_filter(node, evaluate(*node.input, scope), scope);
}

Value Interpreter::apply_filter(const Filter& node, const Value& input, const Scope& scope) {
  if (!node.filter) context_.fail("there is no filter '" + node.name + "'", ErrorCode::unsupported);
  return call_builtin(context_, *node.filter, input, evaluate_arguments(node.arguments, scope));
}

Value Interpreter::apply_filters(const Expression& chain, const Value& input, const Scope& scope) {
  Context::Frame frame(context_, chain.offset);
  const auto& node = std::get<Filter>(chain.node);
  return apply_filter(node, node.input ? apply_filters(*node.input, input, scope) : input, scope);
}

Value Interpreter::evaluate_node(const Test& node, const Scope& scope) {
  if (!node.test) context_.fail("there is no test '" + node.name + "'", ErrorCode::unsupported);
  Value input = evaluate(*node.input, scope);
  return call_builtin(context_, *node.test, input, evaluate_arguments(node.arguments, scope));
}

Value Interpreter::evaluate_node(const Unary& node, const Scope& scope) {
  Value operand = evaluate(*node.operand, scope);
  if (node.op == UnaryOperator::logical_not) return Value::boolean(!operand.truthy());
  if (node.op == UnaryOperator::minus) return negate(context_, operand);
  if (operand.is(Kind::boolean)) return Value::integer(operand.as_integer(), operand.any_user());
  if (operand.is_number()) return operand;
  if (operand.is(Kind::undefined)) context_.fail(operand.undefined_message());
  context_.fail("bad operand type for unary +: '" + std::string(operand.type_name()) + "'");
}

Value Interpreter::evaluate_node(const Binary& node, const Scope& scope) {
  Value left = evaluate(*node.left, scope);
  if (node.op == BinaryOperator::logical_and && !left.truthy()) return left;
  if (node.op == BinaryOperator::logical_or && left.truthy()) return left;
  Value right = evaluate(*node.right, scope);
  if (node.op == BinaryOperator::logical_and || node.op == BinaryOperator::logical_or) return right;
  return apply_binary(context_, node.op, left, right);
}

Value Interpreter::evaluate_node(const Compare& node, const Scope& scope) {
  Value left = evaluate(*node.first, scope);
  for (const auto& [op, operand] : node.rest) {
    Value right = evaluate(*operand, scope);
    if (!compare(context_, op, left, right)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Value Interpreter::evaluate_node(const Concat& node, const Scope& scope) {
  MarkedText out;
  for (const ExpressionPtr& part : node.parts) append_str(context_, out, evaluate(*part, scope));
  return Value::text(std::move(out));
}

Value Interpreter::evaluate_node(const Conditional& node, const Scope& scope) {
  if (evaluate(*node.condition, scope).truthy()) return evaluate(*node.then, scope);
  if (node.otherwise) return evaluate(*node.otherwise, scope);
  return Value::undefined("the inline if-expression has no else part");
}

}  // namespace hyalite::jinja

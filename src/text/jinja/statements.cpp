#include "text/jinja/interpreter.h"
#include "text/jinja/loop.h"
#include "text/jinja/operators.h"
#include "text/jinja/printing.h"

namespace hyalite::jinja {

// A macro or the body of a call block, with the scope it was defined in. The interpreter owns that scope.
class MacroObject : public Object {
 public:
  MacroObject(Interpreter& interpreter, const Macro& macro, std::weak_ptr<Scope> scope)
      : interpreter_(interpreter), macro_(macro), scope_(std::move(scope)) {}
  std::string_view type_name() const override { return "Macro"; }
  bool callable() const override { return true; }
  Value call(Context&, Arguments& arguments) const override { return interpreter_.call_macro(macro_, scope_.lock(), arguments); }
  std::optional<Value> attribute(Context&, std::string_view name) const override {
    if (name == "name") return Value::text(macro_.name);
    return std::nullopt;
  }

 private:
  Interpreter& interpreter_;
  const Macro& macro_;
  std::weak_ptr<Scope> scope_;
};

MarkedText Interpreter::render(const Body& body, const std::vector<std::pair<std::string, Value>>& variables) {
  auto scope = std::make_shared<Scope>();
  for (const auto& [name, value] : variables) scope->set(name, value);
  MarkedText out;
  run(body, scope, out);
  return out;
}

Interpreter::Flow Interpreter::run(const Body& body, const ScopePtr& scope, MarkedText& out) {
  for (const Statement& statement : body) {
    Context::Frame frame(context_, statement.offset);
    Flow flow = std::visit([&](const auto& node) { return run_node(node, scope, out); }, statement.node);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const Data& node, const ScopePtr&, MarkedText& out) {
  context_.charge_text(out.size(), node.text.size());
  out.append(node.text, false);
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const Output& node, const ScopePtr& scope, MarkedText& out) {
  for (const ExpressionPtr& expression : node.expressions) append_str(context_, out, evaluate(*expression, *scope));
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const If& node, const ScopePtr& scope, MarkedText& out) {
  for (const auto& [condition, body] : node.branches) {
    if (evaluate(*condition, *scope).truthy()) return run(body, scope, out);
  }
  return run(node.otherwise, scope, out);
}

Interpreter::Flow Interpreter::run_node(const For& node, const ScopePtr& scope, MarkedText& out) {
  return run_loop(node, evaluate(*node.iterable, *scope), scope, out, 0);
}

Interpreter::Flow Interpreter::run_loop(const For& node, const Value& iterable, const ScopePtr& outer, MarkedText& out, int depth) {
  Loop::Accept accept;
  if (node.condition) {
    accept = [&](const Value& item) {
      Scope scope(outer);
      assign(node.target, item, scope);
      return evaluate(*node.condition, scope).truthy();
    };
  }
  Loop::Recurse recurse;
  if (node.recursive) {
    recurse = [&, depth](const Value& inner) {
      Context::Frame frame(context_, node.target.offset);
      MarkedText text;
      run_loop(node, inner, outer, text, depth + 1);
      return Value::text(std::move(text));
    };
  }
  auto loop = std::make_shared<Loop>(iterate(context_, iterable), std::move(accept), std::move(recurse), depth);
  struct Finish {
    const Loop& loop;
    ~Finish() { loop.finish(); }
  } finish{*loop};
  ScopePtr scope = std::make_shared<Scope>(outer);
  bool any = false;
  while (loop->advance()) {
    any = true;
    context_.charge();
    if (scope.use_count() > 1) {  // a macro holds on to the last round's variables
      scope = std::make_shared<Scope>(outer);
    } else {
      scope->clear();
    }
    scope->set("loop", Value::object(loop));
    assign(node.target, loop->current(), *scope);
    if (run(node.body, scope, out) == Flow::break_loop) break;
  }
  if (any) return Flow::normal;
  return run(node.otherwise, std::make_shared<Scope>(outer), out);
}

void Interpreter::assign(const Target& target, Value value, Scope& scope) {
  if (target.is_tuple) {
    std::vector<Value> items = iterate(context_, value);
    if (items.size() != target.tuple.size()) {
      context_.fail("expected " + std::to_string(target.tuple.size()) + " values to unpack, got " + std::to_string(items.size()));
    }
    for (size_t i = 0; i < items.size(); ++i) assign(target.tuple[i], std::move(items[i]), scope);
  } else if (target.attribute.empty()) {
    scope.set(target.name, std::move(value));
  } else {
    const Value* object = scope.find(target.name);
    auto space = object && object->is(Kind::object) ? dynamic_cast<const Namespace*>(&object->as_object()) : nullptr;
    if (!space) context_.fail("cannot assign attribute on non-namespace object '" + target.name + "'");
    context_.charge_items(1);
    space->set(target.attribute, std::move(value));
  }
}

Interpreter::Flow Interpreter::run_node(const Set& node, const ScopePtr& scope, MarkedText&) {
  assign(node.target, evaluate(*node.value, *scope), *scope);
  return Flow::normal;
}

Value Interpreter::capture(const Body& body, const ScopePtr& scope) {
  MarkedText text;
  run(body, std::make_shared<Scope>(scope), text);
  return Value::text(std::move(text));
}

Interpreter::Flow Interpreter::run_node(const SetBlock& node, const ScopePtr& scope, MarkedText&) {
  Value value = capture(node.body, scope);
  if (node.filter) value = apply_filters(*node.filter, value, *scope);
  assign(node.target, std::move(value), *scope);
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const FilterBlock& node, const ScopePtr& scope, MarkedText& out) {
  append_str(context_, out, apply_filters(*node.filter, capture(node.body, scope), *scope));
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const With& node, const ScopePtr& outer, MarkedText& out) {
  auto scope = std::make_shared<Scope>(outer);
  for (const auto& [target, value] : node.assignments) assign(target, evaluate(*value, *outer), *scope);
  return run(node.body, scope, out);
}

Value Interpreter::make_macro(const Macro& macro, const ScopePtr& scope) {
  if (captured_.empty() || captured_.back() != scope) {
    context_.charge_items(4);
    captured_.push_back(scope);
  }
  return Value::object(std::make_shared<MacroObject>(*this, macro, scope));
}

Interpreter::Flow Interpreter::run_node(const Macro& node, const ScopePtr& scope, MarkedText&) {
  scope->set(node.name, make_macro(node, scope));
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_node(const CallBlock& node, const ScopePtr& scope, MarkedText& out) {
  const auto& node_call = std::get<Call>(node.call->node);
  Value callee = evaluate(*node_call.callee, *scope);
  Arguments arguments = evaluate_arguments(node_call.arguments, *scope);
  arguments.named.emplace_back("caller", make_macro(node.caller, scope));
  append_str(context_, out, call(callee, arguments));
  return Flow::normal;
}

Value Interpreter::call_macro(const Macro& macro, const ScopePtr& outer, Arguments& arguments) {
  context_.charge_items(4);
  auto scope = std::make_shared<Scope>(outer);
  bind_parameters(macro, scope, arguments);
  MarkedText text;
  run(macro.body, scope, text);
  return Value::text(std::move(text));
}

void Interpreter::bind_parameters(const Macro& macro, const ScopePtr& scope, Arguments& arguments) {
  size_t given = std::min(arguments.positional.size(), macro.parameters.size());
  if (given < arguments.positional.size() && !macro.uses_varargs) {
    context_.fail("macro '" + macro.name + "' takes not more than " + std::to_string(macro.parameters.size()) + " arguments");
  }
  std::unordered_map<std::string_view, const Value*> named;
  for (const auto& [name, value] : arguments.named) named[name] = &value;
  auto take = [&](const std::string& name) {
    auto found = named.extract(name);
    return found.empty() ? nullptr : found.mapped();
  };
  if (const Value* caller = take("caller")) scope->set("caller", *caller);
  for (size_t i = 0; i < macro.parameters.size(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    const Value* value = take(parameter.name);
    if (value && i < given) context_.fail("macro '" + macro.name + "' got two values for '" + parameter.name + "'");
    if (i < given) value = &arguments.positional[i];
    if (value) {
      scope->set(parameter.name, *value);
    } else if (parameter.default_value) {
      scope->set(parameter.name, evaluate(*parameter.default_value, *scope));
    } else {
      scope->set(parameter.name, Value::undefined("parameter '" + parameter.name + "' was not provided"));
    }
  }
  if (!named.empty() && !macro.uses_kwargs) {
    context_.fail("macro '" + macro.name + "' takes no keyword argument '" + std::string(named.begin()->first) + "'");
  }
  if (macro.uses_varargs) {
    scope->set("varargs", Value::tuple({arguments.positional.begin() + static_cast<ptrdiff_t>(given), arguments.positional.end()}));
  }
  if (macro.uses_kwargs) {
    Dict rest;
    for (const auto& [name, value] : arguments.named) {
      if (named.contains(name)) rest.set(context_, name, value);
    }
    scope->set("kwargs", Value::dict(std::move(rest)));
  }
}

}  // namespace hyalite::jinja

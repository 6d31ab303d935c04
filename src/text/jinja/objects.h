// The objects that templates meet: built-in functions, namespaces and scopes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "text/jinja/builtins.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

// A global function, or a method together with its object.
class BoundBuiltin : public Object {
 public:
  BoundBuiltin(const Builtin& builtin, Value self) : builtin_(builtin), self_(std::move(self)) {}
  std::string_view type_name() const override { return "builtin_function_or_method"; }
  int depth() const override { return self_.depth() + 1; }
  bool callable() const override { return true; }
  Value call(Context& context, Arguments& arguments) const override { return call_builtin(context, builtin_, self_, arguments); }

 private:
  const Builtin& builtin_;
  Value self_;
};

inline Value bound_method(const Builtin& builtin, const Value& self) {
  return Value::object(std::make_shared<BoundBuiltin>(builtin, self));
}

// namespace(...): the one thing whose attributes a template can assign.
class Namespace : public Object {
 public:
  // A namespace may come to hold itself; the context empties it at its end.
  static Value make(Context& context, std::unordered_map<std::string, Value> values);

  std::string_view type_name() const override { return "Namespace"; }
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  void set(const std::string& name, Value value) const { (*values_)[name] = std::move(value); }

 private:
  using Values = std::unordered_map<std::string, Value>;
  explicit Namespace(std::shared_ptr<Values> values) : values_(std::move(values)) {}
  std::shared_ptr<Values> values_;
};

// Variables of one block. Names point into the syntax tree, the built-in tables or the variables given to render(); all outlive it.
class Scope {
 public:
  explicit Scope(std::shared_ptr<const Scope> parent = nullptr) : parent_(std::move(parent)) {}

  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope; scope = scope->parent_.get()) {
      auto found = scope->values_.find(name);
      if (found != scope->values_.end()) return &found->second;
    }
    return nullptr;
  }
  void set(std::string_view name, Value value) { values_[name] = std::move(value); }
  void clear() { values_.clear(); }

 private:
  std::shared_ptr<const Scope> parent_;
  std::unordered_map<std::string_view, Value> values_;
};

}  // namespace hyalite::jinja

// Filters, tests, methods and global functions: one row each in a table. A row names its parameters, so arguments are matched to them
// in one place.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/context.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

// The arguments of one call of a built-in, by the position of the parameter.
class Bound {
 public:
  // Null where the caller gave nothing.
  const Value* operator[](size_t parameter) const { return slots_[parameter]; }
  bool has(size_t parameter) const { return slots_[parameter] != nullptr; }
  // Arguments beyond the named parameters; only for rows whose list of parameters ends in "*" or "**".
  std::span<const Value> rest() const { return rest_; }
  std::span<const std::pair<std::string, Value>> rest_named() const { return rest_named_; }

 private:
  friend Bound bind(Context& context, const struct Builtin& builtin, const Arguments& arguments);
  std::vector<const Value*> slots_;
  std::span<const Value> rest_;
  std::vector<std::pair<std::string, Value>> rest_named_;
};

struct Builtin {
  std::string_view name;
  // Names separated by spaces; a final "*" takes further positional arguments, "**" named ones too.
  std::string_view parameters;
  size_t required;  // how many of them must be given
  // `self` is a filter's or test's input, a method's object; None for global functions.
  Value (*run)(Context& context, const Value& self, const Bound& arguments);
};

// Matches arguments to parameters; the result points into `arguments`. Fails for missing, unknown, repeated and surplus ones.
Bound bind(Context& context, const Builtin& builtin, const Arguments& arguments);

Value call_builtin(Context& context, const Builtin& builtin, const Value& self, const Arguments& arguments);

// Null where there is none of that name.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);
const Builtin* find_global(std::string_view name);
// Methods of str, dict, list and tuple.
const Builtin* find_method(const Value& self, std::string_view name);

// The tables, one source file each.
std::span<const Builtin> text_filters();
std::span<const Builtin> format_filters();
std::span<const Builtin> sequence_filters();
std::span<const Builtin> selection_filters();
std::span<const Builtin> number_filters();
std::span<const Builtin> tests();
std::span<const Builtin> text_methods();
std::span<const Builtin> text_class_methods();
std::span<const Builtin> dict_methods();
std::span<const Builtin> list_methods();
std::span<const Builtin> globals();

}  // namespace hyalite::jinja

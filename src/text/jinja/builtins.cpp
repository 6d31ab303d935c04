#include "text/jinja/builtins.h"

#include <algorithm>
#include <initializer_list>

namespace hyalite::jinja {

namespace {

const Builtin* find_in(std::initializer_list<std::span<const Builtin>> tables, std::string_view name) {
  for (std::span<const Builtin> table : tables) {
    auto row = std::find_if(table.begin(), table.end(), [&](const Builtin& builtin) { return builtin.name == name; });
    if (row != table.end()) return &*row;
  }
  return nullptr;
}

struct Signature {
  std::vector<std::string_view> names;
  bool rest = false, rest_named = false;
};

Signature signature_of(const Builtin& builtin) {
  Signature signature;
  std::string_view left = builtin.parameters;
  while (!left.empty()) {
    size_t space = left.find(' ');
    std::string_view word = left.substr(0, space);
    left.remove_prefix(space == std::string_view::npos ? left.size() : space + 1);
    if (word[0] == '*') {
      signature.rest = true;
      signature.rest_named = word == "**";
    } else {
      signature.names.push_back(word);
    }
  }
  return signature;
}

}  // namespace

Bound bind(Context& context, const Builtin& builtin, const Arguments& arguments) {
  Signature signature = signature_of(builtin);
  auto complain = [&](const std::string& what) { context.fail(std::string(builtin.name) + "() " + what); };
  Bound bound;
  bound.slots_.assign(signature.names.size(), nullptr);
  size_t direct = std::min(arguments.positional.size(), signature.names.size());
  for (size_t i = 0; i < direct; ++i) bound.slots_[i] = &arguments.positional[i];
  bound.rest_ = std::span(arguments.positional).subspan(direct);
  if (!bound.rest_.empty() && !signature.rest) {
    complain("takes at most " + std::to_string(signature.names.size()) + " arguments, got " + std::to_string(arguments.positional.size()));
  }
  for (const auto& argument : arguments.named) {
    auto place = std::find(signature.names.begin(), signature.names.end(), argument.first);
    auto index = static_cast<size_t>(place - signature.names.begin());
    if (place == signature.names.end()) {
      if (!signature.rest_named) complain("has no parameter '" + argument.first + "'");
      bound.rest_named_.push_back(argument);
    } else {
      if (bound.slots_[index]) complain("got two values for '" + argument.first + "'");
      bound.slots_[index] = &argument.second;
    }
  }
  for (size_t i = 0; i < builtin.required; ++i) {
    if (!bound.slots_[i]) complain("misses the argument '" + std::string(signature.names[i]) + "'");
  }
  return bound;
}

Value call_builtin(Context& context, const Builtin& builtin, const Value& self, const Arguments& arguments) {
  Context::Frame frame(context);
  return builtin.run(context, self, bind(context, builtin, arguments));
}

const Builtin* find_filter(std::string_view name) {
  return find_in({text_filters(), format_filters(), sequence_filters(), selection_filters(), number_filters()}, name);
}

const Builtin* find_test(std::string_view name) {
  return find_in({tests()}, name);
}

const Builtin* find_global(std::string_view name) {
  return find_in({globals()}, name);
}

const Builtin* find_method(const Value& self, std::string_view name) {
  switch (self.kind()) {
    case Kind::text: return find_in({text_methods(), text_class_methods()}, name);
    case Kind::dict: return find_in({dict_methods()}, name);
    case Kind::list:
    case Kind::tuple: return find_in({list_methods()}, name);
    default: return nullptr;
  }
}

}  // namespace hyalite::jinja

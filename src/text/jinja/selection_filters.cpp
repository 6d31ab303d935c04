// map, select, reject, selectattr and rejectattr.
#include "text/jinja/arguments.h"
#include "text/jinja/attribute_path.h"

namespace hyalite::jinja {

namespace {

// The arguments behind the first `used`, for the filter or test that the first of them names.
Arguments remaining(const Bound& arguments, size_t used) {
  std::span<const Value> rest = arguments.rest().subspan(used);
  return {{rest.begin(), rest.end()}, {arguments.rest_named().begin(), arguments.rest_named().end()}};
}

// map('filter', ...) or map(attribute='path', default=...)
Value map(Context& context, const Value& value, const Bound& arguments) {
  if (!value.truthy()) return Value::list({});  // whatever its type, as in Jinja
  std::vector<Value> items = iterate(context, value);
  if (arguments.rest().empty()) {
    const Value *path = nullptr, *fallback = nullptr;
    for (const auto& [name, argument] : arguments.rest_named()) {
      if (name == "attribute") path = &argument;
      if (name == "default") fallback = &argument;
    }
    if (!path) context.fail("map() needs a filter or an attribute");
    for (Value& item : items) item = follow_path(context, item, *path, fallback);
    return Value::list(std::move(items));
  }
  const std::string& name = text_argument(context, arguments.rest()[0]).bytes();
  const Builtin* filter = find_filter(name);
  if (!filter) context.fail("there is no filter '" + name + "'", ErrorCode::unsupported);
  Arguments rest = remaining(arguments, 1);
  for (Value& item : items) item = call_builtin(context, *filter, item, rest);
  return Value::list(std::move(items));
}

// Keeps the items for which the test, or without one the truth of the value, is `wanted`. `by_attribute`: the first argument names
// what of each item is tested.
Value select_items(Context& context, const Value& value, const Bound& arguments, bool wanted, bool by_attribute) {
  if (!value.truthy()) return Value::list({});
  size_t used = by_attribute ? 1 : 0;
  if (arguments.rest().size() < used) context.fail("the filter needs the name of an attribute");
  const Builtin* test = nullptr;
  Arguments rest;
  if (arguments.rest().size() > used) {
    const std::string& name = text_argument(context, arguments.rest()[used]).bytes();
    test = find_test(name);
    if (!test) context.fail("there is no test '" + name + "'", ErrorCode::unsupported);
    rest = remaining(arguments, used + 1);
  }
  std::vector<Value> kept;
  for (Value& item : iterate(context, value)) {
    Value tested = by_attribute ? follow_path(context, item, arguments.rest()[0]) : item;
    bool holds = test ? call_builtin(context, *test, tested, rest).truthy() : tested.truthy();
    if (holds == wanted) kept.push_back(std::move(item));
  }
  return Value::list(std::move(kept));
}

constexpr Builtin table[] = {
    {"map", "**", 0, map},
    {"select", "**", 0, [](Context& c, const Value& v, const Bound& a) { return select_items(c, v, a, true, false); }},
    {"reject", "**", 0, [](Context& c, const Value& v, const Bound& a) { return select_items(c, v, a, false, false); }},
    {"selectattr", "**", 0, [](Context& c, const Value& v, const Bound& a) { return select_items(c, v, a, true, true); }},
    {"rejectattr", "**", 0, [](Context& c, const Value& v, const Bound& a) { return select_items(c, v, a, false, true); }},
};

}  // namespace

std::span<const Builtin> selection_filters() {
  return table;
}

}  // namespace hyalite::jinja

// Functions that every template can call.
#include "text/jinja/arguments.h"
#include "text/jinja/cycler.h"
#include "text/jinja/objects.h"

namespace hyalite::jinja {

namespace {

Value raise_exception(Context& context, const Value&, const Bound& arguments) {
  context.fail(to_text(context, *arguments[0]).bytes(), ErrorCode::invalid_argument);
}

Value strftime_now(Context& context, const Value&, const Bound& arguments) {
  const std::string& format = text_argument(context, *arguments[0]).bytes();
  // A directive may ask for thousands of padding characters ("%999999d"), so its width is bounded by the buffer.
  char buffer[4096];
  size_t size = format.empty() ? 0 : std::strftime(buffer, sizeof buffer, format.c_str(), &context.clock());
  if (size == 0 && !format.empty()) context.fail("strftime_now() gives no text or too much");
  return Value::text(std::string_view(buffer, size));
}

// range(stop) or range(start, stop, step); Jinja's sandbox has the same bound.
Value range(Context& context, const Value&, const Bound& arguments) {
  constexpr int64_t max_range = 100'000;
  int64_t first = integer_argument(context, *arguments[0]);
  int64_t start = arguments.has(1) ? first : 0, stop = arguments.has(1) ? integer_argument(context, *arguments[1]) : first;
  int64_t step = integer_or(context, arguments[2], 1);
  if (step == 0) context.fail("range() needs a step other than zero");
  std::vector<Value> items;
  for (int64_t at = start; step > 0 ? at < stop : at > stop;) {
    if (static_cast<int64_t>(items.size()) == max_range) context.fail("range() gives more than " + std::to_string(max_range) + " numbers");
    items.push_back(Value::integer(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  context.charge_items(items.size());
  return Value::list(std::move(items));
}

// dict(mapping or pairs, **named), also the values of namespace().
Dict collect(Context& context, const Bound& arguments) {
  Dict dict;
  if (arguments.rest().size() > 1) context.fail("at most one positional argument is taken");
  for (const Value& source : arguments.rest()) {
    if (source.is(Kind::dict)) {
      context.charge_items(source.as_dict().items.size());
      context.charge(source.as_dict().key_bytes);
      dict = source.as_dict();
      continue;
    }
    for (const Value& pair : iterate(context, source)) {
      std::vector<Value> items = iterate(context, pair);
      if (items.size() != 2 || !dict.set(context, items[0], items[1])) context.fail("pairs of a key and a value are needed");
    }
  }
  for (const auto& [name, value] : arguments.rest_named()) dict.set(context, name, value);
  return dict;
}

Value make_namespace(Context& context, const Value&, const Bound& arguments) {
  std::unordered_map<std::string, Value> values;
  for (const auto& [key, value] : collect(context, arguments).items) {
    if (!key.is(Kind::text)) context.fail("the names of a namespace are strings");
    context.charge(key.as_text().size());
    values[key.as_bytes()] = value;
  }
  return Namespace::make(context, std::move(values));
}

Value make_cycler(Context& context, const Value&, const Bound& arguments) {
  if (arguments.rest().empty()) context.fail("cycler() needs at least one item");
  return Value::object(std::make_shared<Cycler>(Value::tuple({arguments.rest().begin(), arguments.rest().end()})));
}

Value make_joiner(Context&, const Value&, const Bound& arguments) {
  return Value::object(std::make_shared<Joiner>(Value::tuple({arguments.has(0) ? *arguments[0] : Value::text(", ")})));
}

constexpr Builtin table[] = {
    {"raise_exception", "message", 1, raise_exception},
    {"strftime_now", "format", 1, strftime_now},
    {"range", "start stop step", 1, range},
    {"namespace", "**", 0, make_namespace},
    {"cycler", "*", 0, make_cycler},
    {"joiner", "sep", 0, make_joiner},
    {"dict", "**", 0, [](Context& c, const Value&, const Bound& a) { return Value::dict(collect(c, a)); }},
};

}  // namespace

std::span<const Builtin> globals() {
  return table;
}

}  // namespace hyalite::jinja

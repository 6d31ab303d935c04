// Filters on sequences and mappings as a whole.
#include <algorithm>

#include "text/jinja/arguments.h"
#include "text/jinja/attribute_path.h"
#include "text/jinja/text_functions.h"

namespace hyalite::jinja {

namespace {

Value length_filter(Context& context, const Value& value, const Bound&) {
  return Value::integer(length(context, value));
}

Value edge(Context& context, const Value& value, bool last) {
  std::vector<Value> items = iterate(context, value);
  if (items.empty()) return Value::undefined(last ? "no last item, sequence was empty" : "no first item, sequence was empty");
  return last ? items.back() : items.front();
}

Value reverse(Context& context, const Value& value, const Bound&) {
  if (value.is(Kind::text)) return get_slice(context, value, Value(), Value(), Value::integer(-1));
  std::vector<Value> items = iterate(context, value);
  std::reverse(items.begin(), items.end());
  return Value::list(std::move(items));
}

Value items_filter(Context& context, const Value& value, const Bound&) {
  if (value.is(Kind::undefined)) return Value::list({});
  if (!value.is(Kind::dict)) context.fail("items needs a mapping, not " + std::string(value.type_name()));
  Arguments none;
  return call_builtin(context, *find_method(value, "items"), value, none);
}

std::vector<Value> values_of(std::vector<std::pair<Value, Value>>&& keyed) {
  std::vector<Value> values;
  values.reserve(keyed.size());
  for (auto& [key, value] : keyed) values.push_back(std::move(value));
  return values;
}

// sort(reverse=False, case_sensitive=False, attribute=None); the attribute may be several, separated by commas.
Value sort(Context& context, const Value& value, const Bound& arguments) {
  bool case_sensitive = boolean_or(arguments[1], false);
  std::vector<Value> paths;
  if (arguments.has(2) && arguments[2]->is(Kind::text)) {
    MarkedText comma(",", false);
    paths = split(context, arguments[2]->as_text(), &comma, -1, false);
  } else {
    paths.push_back(arguments.has(2) ? *arguments[2] : Value());
  }
  std::vector<std::pair<Value, Value>> keyed;
  for (Value& item : iterate(context, value)) {
    std::vector<Value> keys;
    for (const Value& path : paths) keys.push_back(sort_key(context, item, &path, case_sensitive));
    keyed.emplace_back(keys.size() == 1 ? std::move(keys[0]) : Value::list(std::move(keys)), std::move(item));
  }
  sort_by_key(context, keyed, boolean_or(arguments[0], false));
  return Value::list(values_of(std::move(keyed)));
}

// dictsort(case_sensitive=False, by='key', reverse=False)
Value dictsort(Context& context, const Value& value, const Bound& arguments) {
  if (!value.is(Kind::dict)) context.fail("dictsort needs a mapping, not " + std::string(value.type_name()));
  std::string by = text_or(context, arguments[1], "key").bytes();
  if (by != "key" && by != "value") context.fail("dictsort() sorts by 'key' or 'value'");
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, item] : value.as_dict().items) {
    Value sorted_by = sort_key(context, by == "key" ? key : item, nullptr, boolean_or(arguments[0], false));
    keyed.emplace_back(std::move(sorted_by), Value::tuple({key, item}));
  }
  sort_by_key(context, keyed, boolean_or(arguments[2], false));
  return Value::list(values_of(std::move(keyed)));
}

// unique(case_sensitive=False, attribute=None)
Value unique(Context& context, const Value& value, const Bound& arguments) {
  std::vector<Value> kept;
  Dict seen;
  for (Value& item : iterate(context, value)) {
    Value key = sort_key(context, item, arguments[1], boolean_or(arguments[0], false));
    if (seen.find(context, key)) continue;
    if (!seen.set(context, key, Value())) context.fail("unhashable type: '" + std::string(key.type_name()) + "'");
    kept.push_back(std::move(item));
  }
  return Value::list(std::move(kept));
}

// min and max(case_sensitive=False, attribute=None)
Value extreme(Context& context, const Value& value, const Bound& arguments, bool largest) {
  std::vector<Value> items = iterate(context, value);
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  bool case_sensitive = boolean_or(arguments[0], false);
  size_t best = 0;
  Value best_key = sort_key(context, items[0], arguments[1], case_sensitive);
  for (size_t i = 1; i < items.size(); ++i) {
    Value key = sort_key(context, items[i], arguments[1], case_sensitive);
    if (largest ? less(context, best_key, key) : less(context, key, best_key)) {
      best = i;
      best_key = std::move(key);
    }
  }
  return items[best];
}

// sum(attribute=None, start=0)
Value sum(Context& context, const Value& value, const Bound& arguments) {
  Value total = arguments.has(1) ? *arguments[1] : Value::integer(0);
  bool direct = !arguments.has(0) || arguments[0]->is(Kind::none);
  for (const Value& item : iterate(context, value)) {
    total = apply_binary(context, BinaryOperator::add, total, direct ? item : follow_path(context, item, *arguments[0]));
  }
  return total;
}

// batch(linecount, fill_with=None)
Value batch(Context& context, const Value& value, const Bound& arguments) {
  int64_t size = integer_argument(context, *arguments[0]);
  if (size < 1) context.fail("batch() needs a size of at least 1");
  std::vector<Value> batches, current;
  for (Value& item : iterate(context, value)) {
    if (static_cast<int64_t>(current.size()) == size) batches.push_back(Value::list(std::exchange(current, {})));
    current.push_back(std::move(item));
  }
  if (current.empty()) return Value::list(std::move(batches));
  if (arguments.has(1) && !arguments[1]->is(Kind::none)) {
    context.charge_items(static_cast<size_t>(size));
    current.resize(static_cast<size_t>(size), *arguments[1]);
  }
  batches.push_back(Value::list(std::move(current)));
  return Value::list(std::move(batches));
}

// slice(slices, fill_with=None): as many lists, the first ones longer by one where the items do not come out even.
Value slice(Context& context, const Value& value, const Bound& arguments) {
  const int64_t slices = integer_argument(context, *arguments[0]);
  if (slices < 1) context.fail("slice() needs at least 1 slice");
  context.charge_items(static_cast<size_t>(slices));
  const std::vector<Value> items = iterate(context, value);
  const int64_t least = static_cast<int64_t>(items.size()) / slices, longer = static_cast<int64_t>(items.size()) % slices;
  const bool fills = arguments.has(1) && !arguments[1]->is(Kind::none);
  std::vector<Value> all;
  auto at = items.begin();
  for (int64_t i = 0; i < slices; ++i) {
    const auto end = at + least + (i < longer ? 1 : 0);
    std::vector<Value> one(at, end);
    if (fills && i >= longer) one.push_back(*arguments[1]);
    all.push_back(Value::list(std::move(one)));
    at = end;
  }
  return Value::list(std::move(all));
}

// groupby(attribute, default=None, case_sensitive=False): (key, items) pairs in the order of the keys.
Value groupby(Context& context, const Value& value, const Bound& arguments) {
  std::vector<std::pair<Value, Value>> keyed;
  bool case_sensitive = boolean_or(arguments[2], false);
  auto real_key = [&](const Value& item) { return follow_path(context, item, *arguments[0], arguments[1]); };
  for (Value& item : iterate(context, value)) {
    Value key = sort_key(context, real_key(item), nullptr, case_sensitive);
    keyed.emplace_back(std::move(key), std::move(item));
  }
  sort_by_key(context, keyed, false);
  std::vector<Value> groups;
  for (size_t begin = 0; begin < keyed.size();) {
    std::vector<Value> members;
    size_t end = begin;
    while (end < keyed.size() && equal(context, keyed[begin].first, keyed[end].first)) members.push_back(keyed[end++].second);
    end = std::max(end, begin + 1);  // NaN equals nothing
    groups.push_back(Value::tuple({real_key(keyed[begin].second), Value::list(std::move(members))}));
    begin = end;
  }
  return Value::list(std::move(groups));
}

constexpr Builtin table[] = {
    {"length", "", 0, length_filter},
    {"count", "", 0, length_filter},
    {"first", "", 0, [](Context& c, const Value& v, const Bound&) { return edge(c, v, false); }},
    {"last", "", 0, [](Context& c, const Value& v, const Bound&) { return edge(c, v, true); }},
    {"list", "", 0, [](Context& c, const Value& v, const Bound&) { return Value::list(iterate(c, v)); }},
    {"reverse", "", 0, reverse},
    {"items", "", 0, items_filter},
    {"sort", "reverse case_sensitive attribute", 0, sort},
    {"dictsort", "case_sensitive by reverse", 0, dictsort},
    {"unique", "case_sensitive attribute", 0, unique},
    {"min", "case_sensitive attribute", 0, [](Context& c, const Value& v, const Bound& a) { return extreme(c, v, a, false); }},
    {"max", "case_sensitive attribute", 0, [](Context& c, const Value& v, const Bound& a) { return extreme(c, v, a, true); }},
    {"sum", "attribute start", 0, sum},
    {"batch", "linecount fill_with", 1, batch},
    {"slice", "slices fill_with", 1, slice},
    {"groupby", "attribute default case_sensitive", 1, groupby},
};

}  // namespace

std::span<const Builtin> sequence_filters() {
  return table;
}

}  // namespace hyalite::jinja

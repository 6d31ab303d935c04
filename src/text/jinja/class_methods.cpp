// Methods of str that ask what kind of characters it has, and the methods of dict, list and tuple.
#include <algorithm>

#include "text/jinja/arguments.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

// Whether the text has characters and each is one of the class.
template <auto is_member>
Value all_in_class(Context& context, const Value& self, const Bound&) {
  context.charge(self.as_text().size());
  std::string_view bytes = self.as_bytes();
  for (size_t at = 0; at < bytes.size();) {
    CodePoint c = code_point_at(bytes, at);
    if (!is_member(c.value)) return Value::boolean(false);
    at += c.size;
  }
  return Value::boolean(!bytes.empty());
}

// Whether the text has letters of one case and none of the other.
template <auto is_wanted, auto is_other>
Value all_of_case(Context& context, const Value& self, const Bound&) {
  context.charge(self.as_text().size());
  std::string_view bytes = self.as_bytes();
  bool any = false;
  for (size_t at = 0; at < bytes.size();) {
    CodePoint c = code_point_at(bytes, at);
    if (is_other(c.value)) return Value::boolean(false);
    any = any || is_wanted(c.value);
    at += c.size;
  }
  return Value::boolean(any);
}

bool is_alnum(int32_t c) {
  return is_alpha(c) || is_numeric(c);
}

Value dict_items(Context& context, const Value& self, const Bound&) {
  context.charge_items(self.as_dict().items.size());
  std::vector<Value> items;
  for (const auto& [key, value] : self.as_dict().items) items.push_back(Value::tuple({key, value}));
  return Value::list(std::move(items));
}

Value dict_values(Context& context, const Value& self, const Bound&) {
  context.charge_items(self.as_dict().items.size());
  std::vector<Value> values;
  for (const auto& item : self.as_dict().items) values.push_back(item.second);
  return Value::list(std::move(values));
}

Value dict_get(Context& context, const Value& self, const Bound& arguments) {
  if (!hash_key(context, *arguments[0])) context.fail("unhashable type: '" + std::string(arguments[0]->type_name()) + "'");
  if (const Value* found = self.as_dict().find(context, *arguments[0])) return *found;
  return arguments.has(1) ? *arguments[1] : Value();
}

Value list_index(Context& context, const Value& self, const Bound& arguments) {
  const auto& items = self.as_items();
  auto found = std::find_if(items.begin(), items.end(), [&](const Value& item) { return equal(context, item, *arguments[0]); });
  if (found == items.end()) context.fail("the value is not in the list");
  return Value::integer(found - items.begin());
}

Value list_count(Context& context, const Value& self, const Bound& arguments) {
  const auto& items = self.as_items();
  return Value::integer(std::count_if(items.begin(), items.end(), [&](const Value& item) { return equal(context, item, *arguments[0]); }));
}

constexpr Builtin text_table[] = {
    {"isdigit", "", 0, all_in_class<is_digit>},          {"isnumeric", "", 0, all_in_class<is_numeric>},
    {"isalpha", "", 0, all_in_class<is_alpha>},          {"isalnum", "", 0, all_in_class<is_alnum>},
    {"isspace", "", 0, all_in_class<is_space>},          {"isupper", "", 0, all_of_case<is_upper, is_lower>},
    {"islower", "", 0, all_of_case<is_lower, is_upper>},
};

constexpr Builtin dict_table[] = {
    {"items", "", 0, dict_items},
    {"keys", "", 0, [](Context& c, const Value& v, const Bound&) { return Value::list(iterate(c, v)); }},
    {"values", "", 0, dict_values},
    {"get", "key default", 1, dict_get},
    {"copy", "", 0, [](Context&, const Value& v, const Bound&) { return v; }},
};

constexpr Builtin list_table[] = {
    {"index", "value", 1, list_index},
    {"count", "value", 1, list_count},
    {"copy", "", 0, [](Context&, const Value& v, const Bound&) { return v; }},
};

}  // namespace

std::span<const Builtin> text_class_methods() {
  return text_table;
}

std::span<const Builtin> dict_methods() {
  return dict_table;
}

std::span<const Builtin> list_methods() {
  return list_table;
}

}  // namespace hyalite::jinja

// What may stand behind `is`.
#include "text/jinja/arguments.h"

namespace hyalite::jinja {

namespace {

using Predicate = bool (*)(const Value&);

template <Predicate predicate>
Value check(Context&, const Value& value, const Bound&) {
  return Value::boolean(predicate(value));
}

template <Comparison op>
Value ordered(Context& context, const Value& value, const Bound& arguments) {
  return Value::boolean(compare(context, op, value, *arguments[0]));
}

Value remainder_is(Context& context, const Value& value, const Value& divisor, int64_t wanted) {
  return Value::boolean(equal(context, apply_binary(context, BinaryOperator::modulo, value, divisor), Value::integer(wanted)));
}

Value case_is(Context& context, const Value& value, std::string_view method) {
  Arguments none;
  Value text = Value::text(to_text(context, value));
  return call_builtin(context, *find_method(text, method), text, none);
}

bool is_undefined(const Value& v) {
  return v.is(Kind::undefined);
}
bool is_defined(const Value& v) {
  return !v.is(Kind::undefined);
}
bool is_none(const Value& v) {
  return v.is(Kind::none);
}
bool is_boolean(const Value& v) {
  return v.is(Kind::boolean);
}
bool is_true(const Value& v) {
  return v.is(Kind::boolean) && v.as_boolean();
}
bool is_false(const Value& v) {
  return v.is(Kind::boolean) && !v.as_boolean();
}
bool is_integer(const Value& v) {
  return v.is(Kind::integer);
}
bool is_float(const Value& v) {
  return v.is(Kind::real);
}
bool is_number(const Value& v) {
  return v.is_number();
}
bool is_string(const Value& v) {
  return v.is(Kind::text);
}
bool is_mapping(const Value& v) {
  return v.is(Kind::dict);
}
bool is_callable(const Value& v) {
  return v.is(Kind::object) && v.as_object().callable();
}
// Undefined can be iterated and has a length: it is empty.
bool is_iterable(const Value& v) {
  return v.is_sequence() || v.is(Kind::text) || v.is(Kind::dict) || v.is(Kind::undefined);
}
// Nothing is marked as HTML here: output is never escaped.
bool is_escaped(const Value&) {
  return false;
}

Value same_as(Context& context, const Value& value, const Bound& arguments) {
  if (value.is(Kind::text)) context.charge(value.as_text().size());
  return Value::boolean(value.same_as(*arguments[0]));
}

constexpr Builtin table[] = {
    {"defined", "", 0, check<is_defined>},
    {"undefined", "", 0, check<is_undefined>},
    {"none", "", 0, check<is_none>},
    {"boolean", "", 0, check<is_boolean>},
    {"true", "", 0, check<is_true>},
    {"false", "", 0, check<is_false>},
    {"integer", "", 0, check<is_integer>},
    {"float", "", 0, check<is_float>},
    {"number", "", 0, check<is_number>},
    {"string", "", 0, check<is_string>},
    {"mapping", "", 0, check<is_mapping>},
    {"callable", "", 0, check<is_callable>},
    {"iterable", "", 0, check<is_iterable>},
    {"sequence", "", 0, check<is_iterable>},
    {"escaped", "", 0, check<is_escaped>},
    {"eq", "other", 1, ordered<Comparison::equal>},
    {"equalto", "other", 1, ordered<Comparison::equal>},
    {"==", "other", 1, ordered<Comparison::equal>},
    {"ne", "other", 1, ordered<Comparison::not_equal>},
    {"!=", "other", 1, ordered<Comparison::not_equal>},
    {"lt", "other", 1, ordered<Comparison::less>},
    {"lessthan", "other", 1, ordered<Comparison::less>},
    {"<", "other", 1, ordered<Comparison::less>},
    {"le", "other", 1, ordered<Comparison::less_equal>},
    {"<=", "other", 1, ordered<Comparison::less_equal>},
    {"gt", "other", 1, ordered<Comparison::greater>},
    {"greaterthan", "other", 1, ordered<Comparison::greater>},
    {">", "other", 1, ordered<Comparison::greater>},
    {"ge", "other", 1, ordered<Comparison::greater_equal>},
    {">=", "other", 1, ordered<Comparison::greater_equal>},
    {"in", "container", 1, ordered<Comparison::in>},
    {"sameas", "other", 1, same_as},
    {"even", "", 0, [](Context& c, const Value& v, const Bound&) { return remainder_is(c, v, Value::integer(2), 0); }},
    {"odd", "", 0, [](Context& c, const Value& v, const Bound&) { return remainder_is(c, v, Value::integer(2), 1); }},
    {"divisibleby", "num", 1, [](Context& c, const Value& v, const Bound& a) { return remainder_is(c, v, *a[0], 0); }},
    {"lower", "", 0, [](Context& c, const Value& v, const Bound&) { return case_is(c, v, "islower"); }},
    {"upper", "", 0, [](Context& c, const Value& v, const Bound&) { return case_is(c, v, "isupper"); }},
    {"filter", "", 0, [](Context&, const Value& v, const Bound&) { return Value::boolean(v.is(Kind::text) && find_filter(v.as_bytes())); }},
    {"test", "", 0, [](Context&, const Value& v, const Bound&) { return Value::boolean(v.is(Kind::text) && find_test(v.as_bytes())); }},
};

}  // namespace

std::span<const Builtin> tests() {
  return table;
}

}  // namespace hyalite::jinja

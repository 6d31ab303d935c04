// Methods of str that change, split and search text.
#include "text/jinja/arguments.h"
#include "text/jinja/text_functions.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

Value strip_method(Context& context, const Value& self, const Bound& arguments, Side side) {
  context.charge(self.as_text().size());
  if (!arguments.has(0) || arguments[0]->is(Kind::none)) return Value::text(strip(context, self.as_text(), nullptr, side));
  return Value::text(strip(context, self.as_text(), &text_argument(context, *arguments[0]), side));
}

Value split_method(Context& context, const Value& self, const Bound& arguments, bool from_right) {
  bool on_space = !arguments.has(0) || arguments[0]->is(Kind::none);
  const MarkedText* separator = on_space ? nullptr : &text_argument(context, *arguments[0]);
  return Value::list(split(context, self.as_text(), separator, integer_or(context, arguments[1], -1), from_right));
}

// The part of the text that the optional character positions in arguments 1 and 2 pick.
Value searched_part(Context& context, const Value& self, const Bound& arguments) {
  if (!arguments.has(1)) return self;
  return get_slice(context, self, *arguments[1], arguments.has(2) ? *arguments[2] : Value(), Value());
}

Value affix_method(Context& context, const Value& self, const Bound& arguments, bool at_end) {
  Value part = searched_part(context, self, arguments);
  const std::string& bytes = part.as_bytes();
  auto matches = [&](const Value& affix) {
    const std::string& wanted = text_argument(context, affix).bytes();
    context.charge(wanted.size());
    return at_end ? bytes.ends_with(wanted) : bytes.starts_with(wanted);
  };
  if (!arguments[0]->is(Kind::tuple)) return Value::boolean(matches(*arguments[0]));
  for (const Value& affix : arguments[0]->as_items()) {
    if (matches(affix)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value find_text(Context& context, const Value& self, const Bound& arguments, bool from_right, bool required) {
  Value part = searched_part(context, self, arguments);
  const std::string& bytes = part.as_bytes();
  const std::string& wanted = text_argument(context, *arguments[0]).bytes();
  context.charge_search(bytes.size(), wanted.size());
  size_t at = from_right ? bytes.rfind(wanted) : bytes.find(wanted);
  if (at == std::string::npos) {
    if (required) context.fail("substring not found");
    return Value::integer(-1);
  }
  int64_t skipped = 0;
  if (arguments.has(1) && !arguments[1]->is(Kind::none)) {
    int64_t start = integer_argument(context, *arguments[1]);
    skipped = start >= 0 ? start : std::max<int64_t>(0, start + length(context, self));
  }
  return Value::integer(skipped + static_cast<int64_t>(count_code_points(std::string_view(bytes).substr(0, at))));
}

Value count_text(Context& context, const Value& self, const Bound& arguments) {
  Value part = searched_part(context, self, arguments);
  const std::string& wanted = text_argument(context, *arguments[0]).bytes();
  context.charge_search(part.as_text().size(), wanted.size());
  if (wanted.empty()) return Value::integer(length(context, part) + 1);
  int64_t count = 0;
  for (size_t at = part.as_bytes().find(wanted); at != std::string::npos; at = part.as_bytes().find(wanted, at + wanted.size())) ++count;
  return Value::integer(count);
}

Value join_method(Context& context, const Value& self, const Bound& arguments) {
  std::vector<Value> items = iterate(context, *arguments[0]);
  for (const Value& item : items) text_argument(context, item);
  return Value::text(join(context, items, self.as_text()));
}

Value partition(Context& context, const Value& self, const Bound& arguments, bool from_right) {
  const MarkedText &text = self.as_text(), &separator = text_argument(context, *arguments[0]);
  if (separator.empty()) context.fail("empty separator");
  context.charge_search(text.size(), separator.size());
  size_t at = from_right ? text.bytes().rfind(separator.bytes()) : text.bytes().find(separator.bytes());
  if (at == std::string::npos) {
    if (from_right) return Value::tuple({Value::text(""), Value::text(""), self});
    return Value::tuple({self, Value::text(""), Value::text("")});
  }
  return Value::tuple(
      {Value::text(text.slice(0, at)), Value::text(separator), Value::text(text.slice(at + separator.size(), text.size()))});
}

Value without_affix(Context& context, const Value& self, const Bound& arguments, bool at_end) {
  const MarkedText& text = self.as_text();
  const std::string& affix = text_argument(context, *arguments[0]).bytes();
  context.charge(text.size());
  bool matches = at_end ? text.bytes().ends_with(affix) : text.bytes().starts_with(affix);
  if (!matches) return self;
  return Value::text(at_end ? text.slice(0, text.size() - affix.size()) : text.slice(affix.size(), text.size()));
}

template <Case to>
Value case_method(Context& context, const Value& self, const Bound&) {
  return Value::text(map_case(context, self.as_text(), to));
}

template <Side side>
Value pad_method(Context& context, const Value& self, const Bound& arguments) {
  MarkedText filler = text_or(context, arguments[1], " ");
  if (count_code_points(filler.bytes()) != 1) context.fail("the fill character must be one character long");
  return Value::text(pad(context, self.as_text(), integer_argument(context, *arguments[0]), filler.bytes(), side));
}

Value zero_fill(Context& context, const Value& self, const Bound& arguments) {
  const MarkedText& text = self.as_text();
  size_t sign = !text.empty() && (text.bytes()[0] == '-' || text.bytes()[0] == '+') ? 1 : 0;
  MarkedText out = text.slice(0, sign);
  int64_t width = integer_argument(context, *arguments[0]) - static_cast<int64_t>(sign);
  out.append(pad(context, text.slice(sign, text.size()), width, "0", Side::right));
  return Value::text(std::move(out));
}

constexpr Builtin table[] = {
    {"strip", "chars", 0, [](Context& c, const Value& v, const Bound& a) { return strip_method(c, v, a, Side::both); }},
    {"lstrip", "chars", 0, [](Context& c, const Value& v, const Bound& a) { return strip_method(c, v, a, Side::left); }},
    {"rstrip", "chars", 0, [](Context& c, const Value& v, const Bound& a) { return strip_method(c, v, a, Side::right); }},
    {"split", "sep maxsplit", 0, [](Context& c, const Value& v, const Bound& a) { return split_method(c, v, a, false); }},
    {"rsplit", "sep maxsplit", 0, [](Context& c, const Value& v, const Bound& a) { return split_method(c, v, a, true); }},
    {"splitlines", "keepends", 0,
     [](Context& c, const Value& v, const Bound& a) { return Value::list(split_lines(c, v.as_text(), boolean_or(a[0], false))); }},
    {"startswith", "prefix start end", 1, [](Context& c, const Value& v, const Bound& a) { return affix_method(c, v, a, false); }},
    {"endswith", "suffix start end", 1, [](Context& c, const Value& v, const Bound& a) { return affix_method(c, v, a, true); }},
    {"removeprefix", "prefix", 1, [](Context& c, const Value& v, const Bound& a) { return without_affix(c, v, a, false); }},
    {"removesuffix", "suffix", 1, [](Context& c, const Value& v, const Bound& a) { return without_affix(c, v, a, true); }},
    {"find", "sub start end", 1, [](Context& c, const Value& v, const Bound& a) { return find_text(c, v, a, false, false); }},
    {"rfind", "sub start end", 1, [](Context& c, const Value& v, const Bound& a) { return find_text(c, v, a, true, false); }},
    {"index", "sub start end", 1, [](Context& c, const Value& v, const Bound& a) { return find_text(c, v, a, false, true); }},
    {"rindex", "sub start end", 1, [](Context& c, const Value& v, const Bound& a) { return find_text(c, v, a, true, true); }},
    {"count", "sub start end", 1, count_text},
    {"replace", "old new count", 2,
     [](Context& c, const Value& v, const Bound& a) {
       return Value::text(replace(c, v.as_text(), text_argument(c, *a[0]), text_argument(c, *a[1]), integer_or(c, a[2], -1)));
     }},
    {"join", "iterable", 1, join_method},
    {"partition", "sep", 1, [](Context& c, const Value& v, const Bound& a) { return partition(c, v, a, false); }},
    {"rpartition", "sep", 1, [](Context& c, const Value& v, const Bound& a) { return partition(c, v, a, true); }},
    {"upper", "", 0, case_method<Case::upper>},
    {"lower", "", 0, case_method<Case::lower>},
    {"title", "", 0, case_method<Case::title>},
    {"capitalize", "", 0, case_method<Case::capitalize>},
    {"swapcase", "", 0, case_method<Case::swap>},
    {"ljust", "width fillchar", 1, pad_method<Side::left>},
    {"rjust", "width fillchar", 1, pad_method<Side::right>},
    {"center", "width fillchar", 1, pad_method<Side::both>},
    {"zfill", "width", 1, zero_fill},
    {"format", "**", 0, [](Context& c, const Value& v, const Bound& a) { return format_braces(c, v.as_text(), a.rest(), a.rest_named()); }},
};

}  // namespace

std::span<const Builtin> text_methods() {
  return table;
}

}  // namespace hyalite::jinja

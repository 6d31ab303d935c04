// Filters that turn any value into text or pick a default.
#include "text/jinja/arguments.h"
#include "text/jinja/attribute_path.h"
#include "text/jinja/text_functions.h"

namespace hyalite::jinja {

namespace {

// tojson(ensure_ascii=False, indent=None, separators=None, sort_keys=False): the one of transformers, not Jinja's, which escapes HTML.
Value tojson(Context& context, const Value& value, const Bound& arguments) {
  JsonStyle style;
  style.ensure_ascii = boolean_or(arguments[0], false);
  style.sort_keys = boolean_or(arguments[3], false);
  if (arguments.has(1) && !arguments[1]->is(Kind::none)) {
    style.indented = true;
    style.item_separator = ",";
    if (arguments[1]->is(Kind::text)) {
      context.charge(arguments[1]->as_text().size());
      style.indent = arguments[1]->as_bytes();
    } else {
      int64_t width = std::max<int64_t>(0, integer_argument(context, *arguments[1]));
      context.charge_text(static_cast<size_t>(width));
      style.indent.assign(static_cast<size_t>(width), ' ');
    }
  }
  if (arguments.has(2) && !arguments[2]->is(Kind::none)) {
    std::vector<Value> separators = iterate(context, *arguments[2]);
    if (separators.size() != 2) context.fail("tojson() takes two separators");
    style.item_separator = text_argument(context, separators[0]).bytes();
    style.key_separator = text_argument(context, separators[1]).bytes();
    context.charge(style.item_separator.size() + style.key_separator.size());
  }
  return Value::text(to_json(context, value, style));
}

Value default_filter(Context&, const Value& value, const Bound& arguments) {
  bool missing = value.is(Kind::undefined) || (boolean_or(arguments[1], false) && !value.truthy());
  if (!missing) return value;
  return arguments.has(0) ? *arguments[0] : Value::text("");
}

Value format_filter(Context& context, const Value& value, const Bound& arguments) {
  MarkedText format = to_text(context, value);
  if (arguments.rest_named().empty()) {
    return format_percent(context, format, {arguments.rest().begin(), arguments.rest().end()}, nullptr);
  }
  if (!arguments.rest().empty()) context.fail("format() takes positional or named arguments, not both");
  Dict named;
  for (const auto& [name, argument] : arguments.rest_named()) named.set(context, name, argument);
  Value mapping = Value::dict(std::move(named));
  return format_percent(context, format, {mapping}, &mapping);
}

Value join_filter(Context& context, const Value& value, const Bound& arguments) {
  std::vector<Value> items = iterate(context, value);
  if (arguments.has(1) && !arguments[1]->is(Kind::none)) {
    for (Value& item : items) item = follow_path(context, item, *arguments[1]);
  }
  MarkedText separator = arguments.has(0) ? to_text(context, *arguments[0]) : MarkedText();
  return Value::text(join(context, items, separator));
}

void append_quoted(Context& context, MarkedText& out, const MarkedText& text, bool in_query) {
  constexpr std::string_view kHex = "0123456789ABCDEF", kPlain = "_.-~";
  context.charge_text(out.size(), text.size() * 3);
  for (size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text.bytes()[at]);
    const bool alnum = (byte | 0x20) >= 'a' ? (byte | 0x20) <= 'z' : byte >= '0' && byte <= '9';
    const char escaped[] = {'%', kHex[byte >> 4], kHex[byte & 15]};
    const bool plain = alnum || kPlain.find(static_cast<char>(byte)) != std::string_view::npos || (byte == '/' && !in_query);
    out.append(plain                     ? std::string_view(text.bytes()).substr(at, 1)
               : byte == ' ' && in_query ? std::string_view("+")
                                         : std::string_view(escaped, 3),
               text.user_at(at));
  }
}

// A text as a part of a URL's path; a mapping or a list of pairs as its query.
Value urlencode(Context& context, const Value& value, const Bound&) {
  MarkedText out;
  if (!value.is_sequence() && !value.is(Kind::dict) && !value.is(Kind::undefined)) {
    append_quoted(context, out, to_text(context, value), false);
    return Value::text(std::move(out));
  }
  std::vector<Value> pairs;
  if (value.is(Kind::dict)) {
    for (const auto& [key, item] : value.as_dict().items) pairs.push_back(Value::tuple({key, item}));
  } else {
    pairs = iterate(context, value);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::vector<Value> pair = iterate(context, pairs[i]);
    if (pair.size() != 2) context.fail("urlencode needs pairs of a name and a value");
    if (i > 0) out.append("&", false);
    append_quoted(context, out, to_text(context, pair[0]), true);
    out.append("=", false);
    append_quoted(context, out, to_text(context, pair[1]), true);
  }
  return Value::text(std::move(out));
}

constexpr Builtin table[] = {
    {"tojson", "ensure_ascii indent separators sort_keys", 0, tojson},
    {"default", "default_value boolean", 0, default_filter},
    {"d", "default_value boolean", 0, default_filter},
    {"format", "**", 0, format_filter},
    {"join", "d attribute", 0, join_filter},
    {"urlencode", "", 0, urlencode},
    {"attr", "name", 1, [](Context& c, const Value& v, const Bound& a) { return get_attribute(c, v, text_argument(c, *a[0]).bytes()); }},
};

}  // namespace

std::span<const Builtin> format_filters() {
  return table;
}

}  // namespace hyalite::jinja

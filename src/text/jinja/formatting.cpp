// str.format and the % operator on strings.
#include <charconv>

#include "text/jinja/operators.h"
#include "text/jinja/printing.h"
#include "text/jinja/text_functions.h"

namespace hyalite::jinja {

namespace {

const Value* find_named(std::span<const std::pair<std::string, Value>> named, std::string_view name) {
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos && text.size() < 10;
}

// "name.attribute[0]" inside braces.
Value resolve_field(Context& context, std::string_view field, std::span<const Value> positional,
                    std::span<const std::pair<std::string, Value>> named, size_t& automatic) {
  size_t head_end = std::min(field.find_first_of(".["), field.size());
  std::string_view head = field.substr(0, head_end), rest = field.substr(head_end);
  const Value* found = nullptr;
  if (head.empty() || is_number(head)) {
    size_t index = head.empty() ? automatic++ : std::stoul(std::string(head));
    found = index < positional.size() ? &positional[index] : nullptr;
  } else {
    found = find_named(named, head);
  }
  if (!found) context.fail("format() has no argument for the field '" + std::string(field) + "'");
  Value value = *found;
  while (!rest.empty()) {
    if (rest[0] == '.') {
      size_t end = std::min(rest.find_first_of(".[", 1), rest.size());
      value = get_attribute(context, value, rest.substr(1, end - 1));
      rest.remove_prefix(end);
      continue;
    }
    size_t end = rest.find(']');
    if (rest[0] != '[' || end == std::string_view::npos) context.fail("malformed field '" + std::string(field) + "' in format()");
    std::string_view key = rest.substr(1, end - 1);
    value = get_item(context, value, is_number(key) ? Value::integer(std::stol(std::string(key))) : Value::text(key));
    rest.remove_prefix(end + 1);
  }
  return value;
}

struct Directive {
  std::string key;    // of %(key)s
  std::string flags;  // of "-+ 0#"
  int64_t width = 0, precision = -1;
  char type = 's';
  size_t end = 0;  // offset behind it
};

Directive parse_directive(Context& context, const std::string& format, size_t at) {
  Directive directive;
  auto number = [&](int64_t& out) {
    auto result = std::from_chars(format.data() + at, format.data() + format.size(), out);
    if (result.ec == std::errc::result_out_of_range || out > 1'000'000) context.fail("the width in the format string is too large");
    at = static_cast<size_t>(result.ptr - format.data());
  };
  if (at < format.size() && format[at] == '(') {
    size_t close = format.find(')', at);
    if (close == std::string::npos) context.fail("incomplete format key");
    directive.key = format.substr(at + 1, close - at - 1);
    at = close + 1;
  }
  while (at < format.size() && std::string_view("-+ 0#").find(format[at]) != std::string_view::npos) directive.flags += format[at++];
  if (at < format.size() && format[at] >= '0' && format[at] <= '9') number(directive.width);
  if (at < format.size() && format[at] == '.') {
    ++at;
    directive.precision = 0;
    if (at < format.size() && format[at] >= '0' && format[at] <= '9') number(directive.precision);
  }
  if (at >= format.size()) context.fail("incomplete format");
  directive.type = format[at];
  directive.end = at + 1;
  return directive;
}

std::string format_number(Context& context, const Directive& directive, const Value& value) {
  if (!value.is_number()) context.fail(std::string("%") + directive.type + " needs a number, not " + std::string(value.type_name()));
  char buffer[512];
  std::to_chars_result result{};
  if (directive.type == 'd' || directive.type == 'i' || directive.type == 'u') {
    if (value.is(Kind::real) && !(std::abs(value.as_real()) < 9e18)) context.fail("the number is too large for %d");
    int64_t whole = value.is(Kind::real) ? static_cast<int64_t>(value.as_real()) : value.as_integer();
    result = std::to_chars(buffer, buffer + sizeof buffer, whole);
  } else if (directive.type == 'x') {
    if (!value.is_integral()) context.fail("%x needs an integer");
    result = std::to_chars(buffer, buffer + sizeof buffer, value.as_integer(), 16);
  } else {
    auto style = directive.type == 'f'   ? std::chars_format::fixed
                 : directive.type == 'e' ? std::chars_format::scientific
                                         : std::chars_format::general;
    int precision = directive.precision < 0 ? 6 : static_cast<int>(std::min<int64_t>(directive.precision, 100));
    result = std::to_chars(buffer, buffer + sizeof buffer, value.as_real(), style, precision);
  }
  std::string text(buffer, result.ptr);
  if (directive.flags.find('+') != std::string::npos && text[0] != '-') text.insert(0, "+");
  return text;
}

MarkedText format_one(Context& context, const Directive& directive, const Value& value) {
  MarkedText text;
  if (directive.type == 's' || directive.type == 'r') {
    if (directive.type == 's') {
      append_str(context, text, value);
    } else {
      append_str(context, text, Value::list({value}));
      text = text.slice(1, text.size() - 1);
    }
    if (directive.precision >= 0) {
      text = get_slice(context, Value::text(text), Value(), Value::integer(directive.precision), Value()).as_text();
    }
  } else if (std::string_view("diuxfeg").find(directive.type) != std::string_view::npos) {
    text.append(format_number(context, directive, value), value.any_user());
  } else {
    context.fail(std::string("unsupported format character '") + directive.type + "'");
  }
  bool left = directive.flags.find('-') != std::string::npos;
  bool zeros = !left && directive.flags.find('0') != std::string::npos && value.is_number();
  return pad(context, text, directive.width, zeros ? "0" : " ", left ? Side::left : Side::right);
}

}  // namespace

Value format_braces(Context& context, const MarkedText& format, std::span<const Value> positional,
                    std::span<const std::pair<std::string, Value>> named) {
  const std::string& bytes = format.bytes();
  MarkedText out;
  size_t automatic = 0;
  for (size_t at = 0; at < bytes.size();) {
    size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
    context.charge_text(out.size(), brace - at + 1);
    out.append_slice(format, at, brace);
    if (brace == bytes.size()) break;
    if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
      out.append_slice(format, brace, brace + 1);
      at = brace + 2;
      continue;
    }
    size_t close = bytes.find('}', brace);
    if (bytes[brace] == '}' || close == std::string::npos) context.fail("a single brace in the format string");
    std::string_view field = std::string_view(bytes).substr(brace + 1, close - brace - 1);
    if (field.find_first_of("!:{") != std::string_view::npos) {
      context.fail("format() with a format specification is not supported", ErrorCode::unsupported);
    }
    append_str(context, out, resolve_field(context, field, positional, named, automatic));
    at = close + 1;
  }
  return Value::text(std::move(out));
}

Value format_percent(Context& context, const MarkedText& format, const std::vector<Value>& positional, const Value* mapping) {
  const std::string& bytes = format.bytes();
  MarkedText out;
  size_t next = 0;
  bool keyed = false;
  for (size_t at = 0; at < bytes.size();) {
    size_t sign = std::min(bytes.find('%', at), bytes.size());
    context.charge_text(out.size(), sign - at + 1);
    out.append_slice(format, at, sign);
    if (sign == bytes.size()) break;
    Directive directive = parse_directive(context, bytes, sign + 1);
    at = directive.end;
    if (directive.type == '%') {
      out.append_slice(format, sign, sign + 1);
    } else if (!directive.key.empty()) {
      if (!mapping) context.fail("format requires a mapping");
      const Value* value = mapping->as_dict().find(context, std::string_view(directive.key));
      if (!value) context.fail("the mapping has no '" + directive.key + "' for the format string");
      out.append(format_one(context, directive, *value));
      keyed = true;
    } else {
      if (next >= positional.size()) context.fail("not enough arguments for the format string");
      out.append(format_one(context, directive, positional[next++]));
    }
  }
  if (next < positional.size() && !keyed && !mapping) context.fail("not all arguments are used by the format string");
  return Value::text(std::move(out));
}

}  // namespace hyalite::jinja

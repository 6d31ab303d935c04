#include "text/jinja/printing.h"

#include <charconv>
#include <cmath>

#include "text/jinja/unicode.h"

namespace hyalite::jinja {

std::string format_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view all(buffer, static_cast<size_t>(end - buffer));
  size_t e = all.find('e');
  int exponent = std::stoi(std::string(all.substr(e + 1)));
  if (exponent < -4 || exponent >= 16) return std::string(all);
  std::string digits, result = all[0] == '-' ? "-" : "";
  for (char c : all.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (exponent < 0) return result + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  std::string fraction = digits.substr(whole);
  return result + digits.substr(0, whole) + "." + (fraction.empty() ? "0" : fraction);
}

namespace {

void append_hex(std::string& out, char letter, uint32_t value, int width) {
  static constexpr char digits[] = "0123456789abcdef";
  out += '\\';
  out += letter;
  for (int shift = (width - 1) * 4; shift >= 0; shift -= 4) out += digits[(value >> shift) & 15];
}

// One character inside quotes, as repr(str) writes it.
void append_repr_character(std::string& out, CodePoint c, std::string_view bytes, char quote) {
  if (c.value == quote || c.value == '\\') {
    out += '\\';
    out += static_cast<char>(c.value);
  } else if (c.value == '\n') {
    out += "\\n";
  } else if (c.value == '\r') {
    out += "\\r";
  } else if (c.value == '\t') {
    out += "\\t";
  } else if (c.value < 0) {
    append_hex(out, 'x', static_cast<unsigned char>(bytes[0]), 2);
  } else if (is_printable(c.value)) {
    out += bytes;
  } else if (c.value < 0x100) {
    append_hex(out, 'x', static_cast<uint32_t>(c.value), 2);
  } else if (c.value < 0x10000) {
    append_hex(out, 'u', static_cast<uint32_t>(c.value), 4);
  } else {
    append_hex(out, 'U', static_cast<uint32_t>(c.value), 8);
  }
}

void append_repr_text(Context& context, MarkedText& out, const MarkedText& text) {
  const std::string& bytes = text.bytes();
  bool double_quoted = bytes.find('\'') != std::string::npos && bytes.find('"') == std::string::npos;
  char quote = double_quoted ? '"' : '\'';
  bool user = text.any_user();
  std::string body(1, quote);
  for (size_t at = 0; at < bytes.size();) {
    CodePoint c = code_point_at(bytes, at);
    append_repr_character(body, c, std::string_view(bytes).substr(at, c.size), quote);
    at += c.size;
  }
  body += quote;
  context.charge_text(out.size(), body.size());
  out.append(body, user);
}

void append_repr(Context& context, MarkedText& out, const Value& value);

void append_sequence(Context& context, MarkedText& out, const Value& value) {
  bool tuple = value.is(Kind::tuple);
  out.append(tuple ? "(" : "[", false);
  const auto& items = value.as_items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.append(", ", false);
    append_repr(context, out, items[i]);
  }
  if (tuple && items.size() == 1) out.append(",", false);
  out.append(tuple ? ")" : "]", false);
}

void append_dict(Context& context, MarkedText& out, const Dict& dict) {
  out.append("{", false);
  bool first = true;
  for (const auto& [key, item] : dict.items) {
    if (!first) out.append(", ", false);
    first = false;
    append_repr(context, out, key);
    out.append(": ", false);
    append_repr(context, out, item);
  }
  out.append("}", false);
}

void append_repr(Context& context, MarkedText& out, const Value& value) {
  context.charge_text(out.size(), 1);
  if (value.is(Kind::text)) {
    append_repr_text(context, out, value.as_text());
  } else if (value.is(Kind::undefined)) {
    out.append("Undefined", false);
  } else {
    append_str(context, out, value);
  }
}

}  // namespace

void append_str(Context& context, MarkedText& out, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return;
    case Kind::none: return out.append("None", false);
    case Kind::boolean: return out.append(value.as_boolean() ? "True" : "False", value.any_user());
    case Kind::integer: return out.append(std::to_string(value.as_integer()), value.any_user());
    case Kind::real: return out.append(format_real(value.as_real()), value.any_user());
    case Kind::text: context.charge_text(out.size(), value.as_text().size()); return out.append(value.as_text());
    case Kind::list:
    case Kind::tuple: return append_sequence(context, out, value);
    case Kind::dict: return append_dict(context, out, value.as_dict());
    case Kind::object: context.fail("a value of type '" + std::string(value.type_name()) + "' cannot be printed");
  }
}

MarkedText to_text(Context& context, const Value& value) {
  if (value.is(Kind::text)) return value.as_text();
  MarkedText out;
  append_str(context, out, value);
  return out;
}

}  // namespace hyalite::jinja

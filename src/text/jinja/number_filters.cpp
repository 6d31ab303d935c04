// Filters that give numbers.
#include <charconv>
#include <cmath>

#include "text/jinja/arguments.h"
#include "text/jinja/text_functions.h"

namespace hyalite::jinja {

namespace {

// The digits of a number in a text, as int() and float() take it: without white space around it and single underscores inside.
std::string number_text(Context& context, const MarkedText& text) {
  std::string trimmed = strip(context, text, nullptr, Side::both).bytes(), digits;
  for (size_t i = 0; i < trimmed.size(); ++i) {
    bool between = i > 0 && i + 1 < trimmed.size() && std::isalnum(static_cast<unsigned char>(trimmed[i - 1])) &&
                   std::isalnum(static_cast<unsigned char>(trimmed[i + 1]));
    if (trimmed[i] != '_' || !between) digits += trimmed[i];
  }
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-' && digits[1] != '+') digits.erase(0, 1);
  return digits;
}

std::optional<double> parse_real(Context& context, const MarkedText& text) {
  std::string digits = number_text(context, text);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::strtod(digits.c_str(), nullptr);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_integer(Context& context, const MarkedText& text, int base) {
  std::string digits = number_text(context, text);
  bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (digits.size() > 2 && digits[0] == '0') {
    char letter = static_cast<char>(digits[1] | 0x20);
    int prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (prefix != 0 && (base == prefix || base == 0)) {
      base = prefix;
      digits.erase(0, 2);
    }
  }
  if (negative) digits.insert(0, "-");
  int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base == 0 ? 10 : base);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) context.fail("the integer does not fit in 64 bits");
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<int64_t> whole_part(Context& context, double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::abs(value) >= 9.2e18) context.fail("the integer does not fit in 64 bits");
  return static_cast<int64_t>(value);
}

// int(default=0, base=10)
Value int_filter(Context& context, const Value& value, const Bound& arguments) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  int64_t base = integer_or(context, arguments[1], 10);
  if (base != 0 && (base < 2 || base > 36)) context.fail("int() needs a base of 0 or 2 to 36");
  std::optional<int64_t> result;
  if (value.is_integral()) {
    result = value.as_integer();
  } else if (value.is(Kind::real)) {
    result = whole_part(context, value.as_real());
  } else if (value.is(Kind::text)) {
    result = parse_integer(context, value.as_text(), static_cast<int>(base));
    auto real = result ? std::nullopt : parse_real(context, value.as_text());
    if (real) result = whole_part(context, *real);
  }
  if (result) return Value::integer(*result, value.any_user());
  return arguments.has(0) ? *arguments[0] : Value::integer(0);
}

// float(default=0.0)
Value float_filter(Context& context, const Value& value, const Bound& arguments) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (value.is_number()) return Value::real(value.as_real(), value.any_user());
  auto real = value.is(Kind::text) ? parse_real(context, value.as_text()) : std::nullopt;
  if (real) return Value::real(*real, value.any_user());
  return arguments.has(0) ? *arguments[0] : Value::real(0);
}

// Rounds to `digits` decimals, ties of the exact value to even, as Python's round() does.
double round_to(double value, int digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < 0) {
    double scale = std::pow(10.0, -digits);
    return std::isfinite(scale) ? std::nearbyint(value / scale) * scale : 0;
  }
  char buffer[700];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits).ptr;
  std::from_chars(buffer, end, value);
  return value;
}

// round(precision=0, method='common'|'ceil'|'floor')
Value round_filter(Context& context, const Value& value, const Bound& arguments) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (!value.is_number()) context.fail("round needs a number, not " + std::string(value.type_name()));
  auto digits = static_cast<int>(std::clamp<int64_t>(integer_or(context, arguments[0], 0), -400, 400));
  std::string method = text_or(context, arguments[1], "common").bytes();
  bool user = value.any_user();
  if (method == "common") {
    if (value.is_integral() && digits >= 0) return Value::integer(value.as_integer(), user);
    if (value.is_integral()) return Value::integer(whole_part(context, round_to(value.as_real(), digits)).value_or(0), user);
    return Value::real(round_to(value.as_real(), digits), user);
  }
  if (method != "ceil" && method != "floor") context.fail("round() has the methods common, ceil and floor");
  double scale = std::pow(10.0, digits), scaled = value.as_real() * scale;
  return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale, user);
}

Value abs_filter(Context& context, const Value& value, const Bound&) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (!value.is_number()) context.fail("abs needs a number, not " + std::string(value.type_name()));
  if (value.is(Kind::real)) return Value::real(std::abs(value.as_real()), value.any_user());
  return value.as_integer() < 0 ? negate(context, value) : Value::integer(value.as_integer(), value.any_user());
}

constexpr Builtin table[] = {
    {"int", "default base", 0, int_filter},
    {"float", "default", 0, float_filter},
    {"round", "precision method", 0, round_filter},
    {"abs", "", 0, abs_filter},
};

}  // namespace

std::span<const Builtin> number_filters() {
  return table;
}

}  // namespace hyalite::jinja

#include "text/jinja/operators.h"

#include <cmath>

#include "text/jinja/printing.h"

namespace hyalite::jinja {

namespace {

std::string_view symbol_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::add: return "+";
    case BinaryOperator::subtract: return "-";
    case BinaryOperator::multiply: return "*";
    case BinaryOperator::divide: return "/";
    case BinaryOperator::floor_divide: return "//";
    case BinaryOperator::modulo: return "%";
    case BinaryOperator::power: return "**";
    case BinaryOperator::logical_and: return "and";
    case BinaryOperator::logical_or: return "or";
  }
  return "";
}

[[noreturn]] void unsupported(Context& context, BinaryOperator op, const Value& left, const Value& right) {
  context.fail("unsupported operand types for " + std::string(symbol_of(op)) + ": '" + std::string(left.type_name()) + "' and '" +
               std::string(right.type_name()) + "'");
}

int64_t integer_power(Context& context, int64_t base, int64_t exponent) {
  int64_t result = 1;
  bool overflow = false, base_overflow = false;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) overflow = overflow || base_overflow || __builtin_mul_overflow(result, base, &result);
    base_overflow = base_overflow || __builtin_mul_overflow(base, base, &base);
  }
  if (overflow) context.fail("the integer does not fit in 64 bits");
  return result;
}

Value apply_integers(Context& context, BinaryOperator op, int64_t a, int64_t b, bool user) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case BinaryOperator::add: overflow = __builtin_add_overflow(a, b, &result); break;
    case BinaryOperator::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
    case BinaryOperator::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case BinaryOperator::power:
      if (b < 0) return Value::real(std::pow(static_cast<double>(a), static_cast<double>(b)), user);
      result = integer_power(context, a, b);
      break;
    default:
      if (b == 0) context.fail("division by zero");
      if (op == BinaryOperator::divide) return Value::real(static_cast<double>(a) / static_cast<double>(b), user);
      if (b == -1) {  // INT64_MIN / -1 traps
        overflow = op == BinaryOperator::floor_divide && __builtin_sub_overflow(int64_t{0}, a, &result);
        break;
      }
      bool inexact = a % b != 0 && (a % b < 0) != (b < 0);
      result = op == BinaryOperator::floor_divide ? a / b - (inexact ? 1 : 0) : a % b + (inexact ? b : 0);
  }
  if (overflow) context.fail("the integer does not fit in 64 bits");
  return Value::integer(result, user);
}

Value apply_reals(Context& context, BinaryOperator op, double a, double b, bool user) {
  bool division = op == BinaryOperator::divide || op == BinaryOperator::floor_divide || op == BinaryOperator::modulo;
  if (division && b == 0) context.fail("division by zero");
  switch (op) {
    case BinaryOperator::add: return Value::real(a + b, user);
    case BinaryOperator::subtract: return Value::real(a - b, user);
    case BinaryOperator::multiply: return Value::real(a * b, user);
    case BinaryOperator::divide: return Value::real(a / b, user);
    case BinaryOperator::power: return Value::real(std::pow(a, b), user);
    default: break;
  }
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return Value::real(op == BinaryOperator::modulo ? rest : std::floor((a - rest) / b + 0.5), user);
}

Value repeat(Context& context, const Value& value, int64_t count) {
  auto times = static_cast<size_t>(std::max<int64_t>(count, 0));
  if (value.is(Kind::text)) {
    const MarkedText& text = value.as_text();
    if (times != 0 && text.size() > SIZE_MAX / times) context.charge_text(SIZE_MAX);
    context.charge_text(text.size() * times);
    MarkedText out;
    for (size_t i = 0; i < times && !text.empty(); ++i) out.append(text);
    return Value::text(std::move(out));
  }
  const auto& items = value.as_items();
  if (items.empty()) times = 0;
  if (times != 0 && items.size() > SIZE_MAX / times) context.charge_items(SIZE_MAX);
  context.charge_items(items.size() * times);
  std::vector<Value> out;
  for (size_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  return value.is(Kind::list) ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

Value join_two(Context& context, const Value& left, const Value& right) {
  if (left.is(Kind::text)) {
    context.charge_text(left.as_text().size(), right.as_text().size());
    context.charge(left.as_text().size());
    MarkedText out = left.as_text();
    out.append(right.as_text());
    return Value::text(std::move(out));
  }
  context.charge_items(left.as_items().size() + right.as_items().size());
  std::vector<Value> items = left.as_items();
  items.insert(items.end(), right.as_items().begin(), right.as_items().end());
  return left.is(Kind::list) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

Value percent(Context& context, const Value& left, const Value& right) {
  if (right.is(Kind::tuple)) return format_percent(context, left.as_text(), right.as_items(), nullptr);
  return format_percent(context, left.as_text(), {right}, right.is(Kind::dict) ? &right : nullptr);
}

}  // namespace

Value apply_binary(Context& context, BinaryOperator op, const Value& left, const Value& right) {
  if (left.is(Kind::undefined)) context.fail(left.undefined_message());
  if (right.is(Kind::undefined)) context.fail(right.undefined_message());
  if (left.is_number() && right.is_number()) {
    bool user = left.any_user() || right.any_user();
    if (left.is(Kind::real) || right.is(Kind::real)) return apply_reals(context, op, left.as_real(), right.as_real(), user);
    return apply_integers(context, op, left.as_integer(), right.as_integer(), user);
  }
  bool same_container = left.kind() == right.kind() && (left.is(Kind::text) || left.is_sequence());
  if (op == BinaryOperator::add && same_container) return join_two(context, left, right);
  if (op == BinaryOperator::modulo && left.is(Kind::text)) return percent(context, left, right);
  if (op == BinaryOperator::multiply) {
    if ((left.is(Kind::text) || left.is_sequence()) && right.is_integral()) return repeat(context, left, right.as_integer());
    if ((right.is(Kind::text) || right.is_sequence()) && left.is_integral()) return repeat(context, right, left.as_integer());
  }
  unsupported(context, op, left, right);
}

Value negate(Context& context, const Value& value) {
  if (value.is(Kind::real)) return Value::real(-value.as_real(), value.any_user());
  if (value.is_integral()) return apply_integers(context, BinaryOperator::subtract, 0, value.as_integer(), value.any_user());
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  context.fail("bad operand type for unary -: '" + std::string(value.type_name()) + "'");
}

}  // namespace hyalite::jinja

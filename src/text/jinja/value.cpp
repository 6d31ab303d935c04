#include "text/jinja/value.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "text/jinja/context.h"

namespace hyalite::jinja {

namespace {
[[noreturn]] void too_deep() {
  throw Error(ErrorCode::invalid_argument, "chat template", "values are nested deeper than " + std::to_string(max_value_depth) + " levels");
}
}  // namespace

std::optional<Value> Object::attribute(Context&, std::string_view) const {
  return std::nullopt;
}

Value Object::call(Context& context, Arguments&) const {
  context.fail("'" + std::string(type_name()) + "' object is not callable");
}

Value Value::undefined(std::string message) {
  return Value(Kind::undefined, std::make_shared<const std::string>(std::move(message)), false);
}

Value Value::text(MarkedText text) {
  return Value(Kind::text, std::make_shared<const MarkedText>(std::move(text)), false);
}

Value Value::sequence(Kind kind, std::vector<Value> items) {
  auto list = std::make_shared<List>();
  for (const Value& item : items) {
    list->depth = std::max(list->depth, item.depth() + 1);
    list->user = list->user || item.any_user();
  }
  if (list->depth > max_value_depth) too_deep();
  list->items = std::move(items);
  return Value(kind, std::shared_ptr<const List>(std::move(list)), false);
}

Value Value::dict(Dict dict) {
  if (dict.depth > max_value_depth) too_deep();
  return Value(Kind::dict, std::make_shared<const Dict>(std::move(dict)), false);
}

const std::vector<Value>& Value::as_items() const {
  return std::get<std::shared_ptr<const List>>(data_)->items;
}

bool Value::truthy() const {
  switch (kind_) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::boolean: return as_boolean();
    case Kind::integer: return as_integer() != 0;
    case Kind::real: return as_real() != 0;
    case Kind::text: return !as_text().empty();
    case Kind::list:
    case Kind::tuple: return !as_items().empty();
    case Kind::dict: return !as_dict().items.empty();
    case Kind::object: return true;
  }
  return false;
}

bool Value::any_user() const {
  switch (kind_) {
    case Kind::text: return as_text().any_user();
    case Kind::list:
    case Kind::tuple: return std::get<std::shared_ptr<const List>>(data_)->user;
    case Kind::dict: return as_dict().user;
    default: return user_;
  }
}

int Value::depth() const {
  if (is_sequence()) return std::get<std::shared_ptr<const List>>(data_)->depth;
  if (kind_ == Kind::object) return as_object().depth();
  return kind_ == Kind::dict ? as_dict().depth : 0;
}

bool Value::same_as(const Value& other) const {
  if (kind_ != other.kind_) return false;
  if (kind_ == Kind::none) return true;
  if (kind_ == Kind::text) return as_bytes() == other.as_bytes();
  return data_ == other.data_;
}

std::string_view Value::type_name() const {
  switch (kind_) {
    case Kind::undefined: return "Undefined";
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::real: return "float";
    case Kind::text: return "str";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::dict: return "dict";
    case Kind::object: return as_object().type_name();
  }
  return "";
}

namespace {

std::string text_key(std::string_view text) {
  return "s" + std::to_string(text.size()) + ":" + std::string(text);
}

std::string number_key(const Value& value) {
  if (!value.is(Kind::real)) return "i" + std::to_string(value.as_integer()) + ";";
  const double number = value.as_real();
  if (std::trunc(number) == number && std::abs(number) < 9e18) return "i" + std::to_string(static_cast<int64_t>(number)) + ";";
  return "f" + std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

// Every form shows where it ends, so that those of a tuple's items can stand next to each other.
bool append_key(Context& context, const Value& value, std::string& key) {
  context.charge_text(key.size(), value.is(Kind::text) ? value.as_text().size() : 1);
  switch (value.kind()) {
    case Kind::none: key += "N"; return true;
    case Kind::boolean:
    case Kind::integer:
    case Kind::real: key += number_key(value); return true;
    case Kind::text: key += text_key(value.as_bytes()); return true;
    case Kind::tuple:
      key += "t" + std::to_string(value.as_items().size()) + ":";
      return std::all_of(value.as_items().begin(), value.as_items().end(),
                         [&](const Value& item) { return append_key(context, item, key); });
    default: return false;
  }
}

}  // namespace

std::optional<std::string> hash_key(Context& context, const Value& value) {
  std::string key;
  if (!append_key(context, value, key)) return std::nullopt;
  return key;
}

const Value* Dict::at(const std::string& hash) const {
  auto found = index_.find(hash);
  return found == index_.end() ? nullptr : &items[found->second].second;
}

const Value* Dict::find(Context& context, const Value& key) const {
  auto hash = hash_key(context, key);
  return hash ? at(*hash) : nullptr;
}

const Value* Dict::find(Context& context, std::string_view key) const {
  context.charge(key.size());
  return at(text_key(key));
}

bool Dict::set(Context& context, Value key, Value value) {
  auto hash = hash_key(context, key);
  if (hash) insert(std::move(*hash), std::move(key), std::move(value));
  return hash.has_value();
}

void Dict::set(Context& context, std::string_view key, Value value) {
  context.charge(key.size());
  insert(text_key(key), Value::text(key), std::move(value));
}

void Dict::set_uncharged(MarkedText key, Value value) {
  std::string hash = text_key(key.bytes());
  insert(std::move(hash), Value::text(std::move(key)), std::move(value));
}

void Dict::insert(std::string hash, Value key, Value value) {
  depth = std::max({depth, value.depth() + 1, key.depth() + 1});
  user = user || key.any_user() || value.any_user();
  const size_t bytes = hash.size();
  auto [place, inserted] = index_.emplace(std::move(hash), items.size());
  if (inserted) {
    key_bytes += bytes;
    items.emplace_back(std::move(key), std::move(value));
  } else {
    items[place->second].second = std::move(value);
  }
}

namespace {

Value convert(const Json& json, bool user, int depth) {
  if (depth > max_value_depth) too_deep();
  switch (json.type()) {
    case Json::value_t::boolean: return Value::boolean(json.get<bool>(), user);
    case Json::value_t::number_integer: return Value::integer(json.get<int64_t>(), user);
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() > INT64_MAX) {
        throw Error(ErrorCode::invalid_argument, "chat template", "integer " + json.dump() + " does not fit in 64 bits");
      }
      return Value::integer(json.get<int64_t>(), user);
    case Json::value_t::number_float: return Value::real(json.get<double>(), user);
    case Json::value_t::string: return Value::text(MarkedText(json.get_ref<const std::string&>(), user));
    case Json::value_t::array: {
      std::vector<Value> items;
      items.reserve(json.size());
      for (const Json& item : json) items.push_back(convert(item, user, depth + 1));
      return Value::list(std::move(items));
    }
    case Json::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) dict.set_uncharged(MarkedText(key, user), convert(item, user, depth + 1));
      return Value::dict(std::move(dict));
    }
    default: return Value();
  }
}

}  // namespace

Value value_of_json(const Json& json, bool user) {
  return convert(json, user, 1);
}

}  // namespace hyalite::jinja

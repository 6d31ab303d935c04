// The values of the template language, with the meaning they have in Python. Values are immutable and cheap to copy; containers are
// shared. A value remembers whether it came from a user: text per byte (MarkedText), numbers and booleans as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "text/jinja/marked_text.h"

namespace hyalite::jinja {

class Context;
class Value;
struct Arguments;
struct List;
struct Dict;

// Containers deeper than this are refused, so that walking a value cannot exhaust the stack.
inline constexpr int max_value_depth = 100;

// A namespace, a loop variable, a macro or a built-in function.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view type_name() const = 0;
  // Nothing where the object has no such attribute.
  virtual std::optional<Value> attribute(Context& context, std::string_view name) const;
  // As Value::depth().
  virtual int depth() const { return 0; }
  virtual bool callable() const { return false; }
  virtual Value call(Context& context, Arguments& arguments) const;
};

enum class Kind { undefined, none, boolean, integer, real, text, list, tuple, dict, object };

class Value {
 public:
  Value() = default;  // None
  // Jinja's Undefined: prints as nothing, but `message` is the error of any other use.
  static Value undefined(std::string message);
  static Value boolean(bool value, bool user = false) { return Value(Kind::boolean, value, user); }
  static Value integer(int64_t value, bool user = false) { return Value(Kind::integer, value, user); }
  static Value real(double value, bool user = false) { return Value(Kind::real, value, user); }
  static Value text(MarkedText text);
  static Value text(std::string_view trusted) { return text(MarkedText(trusted, false)); }
  // These three throw Error{invalid_argument} beyond max_value_depth.
  static Value list(std::vector<Value> items) { return sequence(Kind::list, std::move(items)); }
  static Value tuple(std::vector<Value> items) { return sequence(Kind::tuple, std::move(items)); }
  static Value dict(Dict dict);
  static Value object(std::shared_ptr<const Object> object) { return Value(Kind::object, std::move(object), false); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_sequence() const { return kind_ == Kind::list || kind_ == Kind::tuple; }
  bool is_number() const { return kind_ == Kind::boolean || kind_ == Kind::integer || kind_ == Kind::real; }
  bool is_integral() const { return kind_ == Kind::boolean || kind_ == Kind::integer; }

  // REQUIRES: the kind fits.
  const std::string& undefined_message() const { return *std::get<std::shared_ptr<const std::string>>(data_); }
  bool as_boolean() const { return std::get<bool>(data_); }
  int64_t as_integer() const { return kind_ == Kind::boolean ? as_boolean() : std::get<int64_t>(data_); }  // integral kinds
  double as_real() const { return kind_ == Kind::real ? std::get<double>(data_) : static_cast<double>(as_integer()); }
  const MarkedText& as_text() const { return *std::get<std::shared_ptr<const MarkedText>>(data_); }
  const std::string& as_bytes() const { return as_text().bytes(); }
  const std::vector<Value>& as_items() const;  // list, tuple
  const Dict& as_dict() const { return *std::get<std::shared_ptr<const Dict>>(data_); }
  const Object& as_object() const { return *std::get<std::shared_ptr<const Object>>(data_); }

  bool truthy() const;
  // Whether any part of the value came from a user.
  bool any_user() const;
  // Containers between this value and its deepest leaf.
  int depth() const;
  // Whether both are the same object, as Python's `is` has it for constants and containers.
  bool same_as(const Value& other) const;
  // "str", "NoneType", ... as Python names it.
  std::string_view type_name() const;

 private:
  using Data = std::variant<std::monostate, bool, int64_t, double, std::shared_ptr<const std::string>, std::shared_ptr<const MarkedText>,
                            std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<const Object>>;

  template <class T>
  Value(Kind kind, T data, bool user) : kind_(kind), user_(user), data_(std::in_place_type<T>, std::move(data)) {}
  static Value sequence(Kind kind, std::vector<Value> items);

  Kind kind_ = Kind::none;
  bool user_ = false;  // numbers and booleans only
  Data data_;
};

struct List {
  std::vector<Value> items;
  int depth = 1;
  bool user = false;
};

// Keeps the order of insertion. Keys are None, numbers, text, or tuples of them. What takes a Context charges it for the bytes of the key.
struct Dict {
  std::vector<std::pair<Value, Value>> items;
  int depth = 1;
  bool user = false;
  size_t key_bytes = 0;  // of all keys, as they are copied with the dict

  // Null where the key is missing or of an unhashable type.
  const Value* find(Context& context, const Value& key) const;
  const Value* find(Context& context, std::string_view key) const;
  // Returns false where the key's type cannot be hashed.
  bool set(Context& context, Value key, Value value);
  void set(Context& context, std::string_view key, Value value);
  // For a dict that no template makes.
  void set_uncharged(MarkedText key, Value value);

 private:
  const Value* at(const std::string& hash) const;
  void insert(std::string hash, Value key, Value value);

  std::unordered_map<std::string, size_t> index_;
};

// Positional and named arguments of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

// A canonical form of hashable values, equal exactly for values that are equal; nothing where a value cannot be hashed. A tuple may hold
// another one many times, so that its form is exponentially longer than the tuple: each byte is charged as it is written.
std::optional<std::string> hash_key(Context& context, const Value& value);

// Everything in `json` is marked as a user's text when `user` is set. Throws Error{invalid_argument} for integers beyond 64 bits and
// for nesting beyond max_value_depth.
Value value_of_json(const Json& json, bool user);

}  // namespace hyalite::jinja

// Reads an object that Hyalite itself wrote and anyone may have changed since: every field must be there and be of its type. Each error is
// Error{invalid_model} whose place is the path of the object ("schedules/decode.json.steps[3]").
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hyalite {

class JsonReader {
 public:
  JsonReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("must be an object");
  }

  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorCode::invalid_model, where_, message); }

  bool has(const std::string& name) const { return json_.contains(name); }

  const Json& field(const std::string& name) const {
    auto it = json_.find(name);
    if (it == json_.end()) fail("has no field " + name);
    return *it;
  }

  const std::string& where() const { return where_; }

  // The library would cut integers and round numbers to fit, also those of a list (T a vector).
  template <class T>
  T get(const std::string& name) const {
    const Json& value = field(name);
    if (!fits<T>(value)) fail("field " + name + (is_integer<T> ? " is" : " has an entry that is") + " no integer in range");
    try {
      return value.get<T>();
    } catch (const Json::exception&) {
      fail("field " + name + " has the wrong type");
    }
  }

  JsonReader object(const std::string& name) const { return JsonReader(field(name), where_ + "." + name); }

  template <class F>
  void each(const std::string& name, F&& use) const {
    const Json& list = field(name);
    if (!list.is_array()) fail("field " + name + " must be a list");
    for (size_t i = 0; i < list.size(); ++i) use(JsonReader(list[i], where_ + "." + name + "[" + std::to_string(i) + "]"));
  }

  template <size_t N>
  int one_of(const std::string& name, const std::array<const char*, N>& words) const {
    auto word = get<std::string>(name);
    for (size_t i = 0; i < N; ++i)
      if (word == words[i]) return static_cast<int>(i);
    fail("field " + name + " has the unknown value " + word);
  }

 private:
  template <class T>
  static constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

  // Whether no integer of the value would be cut.
  template <class T>
  static bool fits(const Json& value) {
    if constexpr (is_integer<T>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
    } else if constexpr (requires { requires std::is_same_v<T, std::vector<typename T::value_type>>; }) {
      return !value.is_array() || std::ranges::all_of(value, fits<typename T::value_type>);
    } else {
      return true;
    }
  }

  const Json& json_;
  std::string where_;
};

}  // namespace hyalite

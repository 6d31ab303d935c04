// Typed attributes of a node: an ordered list of name = value. Plain data; compares by value and order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hyalite {

using AttrValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

class Attrs {
 public:
  Attrs() = default;
  Attrs(std::initializer_list<std::pair<std::string, AttrValue>> items) : items_(items) {}

  const AttrValue* find(std::string_view name) const;  // nullptr where there is none
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // Typed reads. Throw Error{invalid_model} naming the attribute where it is absent (no fallback given) or of another type.
  // An integer literal reads as a double too.
  int64_t integer(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t fallback) const { return has(name) ? integer(name) : fallback; }
  double real(std::string_view name) const;
  double real(std::string_view name, double fallback) const { return has(name) ? real(name) : fallback; }
  bool boolean(std::string_view name, bool fallback) const;
  const std::string& text(std::string_view name) const;
  std::string text(std::string_view name, std::string_view fallback) const { return has(name) ? text(name) : std::string(fallback); }
  const std::vector<double>& reals(std::string_view name) const;

  void set(std::string_view name, AttrValue value);  // replaces in place, or appends
  void erase(std::string_view name);
  const std::vector<std::pair<std::string, AttrValue>>& items() const { return items_; }
  bool operator==(const Attrs&) const = default;

 private:
  std::vector<std::pair<std::string, AttrValue>> items_;
};

}  // namespace hyalite

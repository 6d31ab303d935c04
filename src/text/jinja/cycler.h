// What cycler(...) and joiner(...) give: objects that have another value every time.
#pragma once

#include <memory>

#include "text/jinja/objects.h"

namespace hyalite::jinja {

class Cycler : public Object, public std::enable_shared_from_this<Cycler> {
 public:
  // REQUIRES: a tuple of at least one item; a tuple bounds the depth.
  explicit Cycler(Value items) : items_(std::move(items)) {}

  std::string_view type_name() const override { return "Cycler"; }
  int depth() const override { return items_.depth(); }
  std::optional<Value> attribute(Context& context, std::string_view name) const override;

  const Value& next() const;
  void reset() const { at_ = 0; }

 private:
  Value items_;
  mutable size_t at_ = 0;  // objects are const for those who hold them as values
};

// Nothing the first time it is called, then the separator.
class Joiner : public Object {
 public:
  // REQUIRES: a tuple of one item.
  explicit Joiner(Value separator) : separator_(std::move(separator)) {}

  std::string_view type_name() const override { return "Joiner"; }
  int depth() const override { return separator_.depth(); }
  bool callable() const override { return true; }
  Value call(Context& context, Arguments& arguments) const override;

 private:
  Value separator_;
  mutable bool used_ = false;
};

}  // namespace hyalite::jinja

// Typed reading of one JSON object from outside. A getter gives nothing where the field is absent or null, and throws Error{invalid_model}
// naming file and field where its value is of another kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace hyalite {

class JsonFields {
 public:
  // `where` is the file, and the path of the object inside it. `object` must outlive this. Throws where it is no object.
  JsonFields(const Json& object, std::string where);

  const std::string& where() const { return where_; }
  std::string where(const char* field) const { return where_ + ": " + field; }
  const Json* find(const char* field) const;  // nullptr where absent or null
  bool has(const char* field) const { return find(field) != nullptr; }
  bool contains(const char* field) const { return object_->contains(field); }  // null counts

  std::optional<int64_t> integer(const char* field) const;
  std::optional<double> number(const char* field) const;  // finite
  std::optional<bool> boolean(const char* field) const;
  std::optional<std::string> string(const char* field) const;
  std::optional<JsonFields> object(const char* field) const;

  int64_t required_integer(const char* field) const;

  [[noreturn]] void refuse(const char* field, const std::string& message) const;       // Error{invalid_model}
  [[noreturn]] void unsupported(const char* field, const std::string& message) const;  // Error{unsupported}

 private:
  const Json* object_;
  std::string where_;
};

}  // namespace hyalite

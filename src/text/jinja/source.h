// The text of a template as the interpreter sees it, and the way from an offset to "row:column".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hyalite::jinja {

class Source {
 public:
  // Longer templates are refused with Error{invalid_model}.
  static constexpr size_t max_size = size_t{1} << 20;

  // As in Jinja, every CRLF and lone CR becomes LF, and one newline at the end is dropped.
  explicit Source(std::string_view text);

  const std::string& text() const { return text_; }

  // Throws Error{code} whose `where` is "chat template row:column"; both count from 1, the column in bytes.
  [[noreturn]] void fail(uint32_t offset, const std::string& message, ErrorCode code) const;

 private:
  std::string text_;
};

}  // namespace hyalite::jinja

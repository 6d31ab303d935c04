#include "text/jinja/source.h"

#include <algorithm>

namespace hyalite::jinja {

Source::Source(std::string_view text) {
  if (text.size() > max_size) {
    throw Error(ErrorCode::invalid_model, "chat template",
                "it has " + std::to_string(text.size()) + " bytes, more than the " + std::to_string(max_size) + " allowed");
  }
  text_.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r') {
      text_ += text[at];
      continue;
    }
    text_ += '\n';
    if (at + 1 < text.size() && text[at + 1] == '\n') ++at;
  }
  if (!text_.empty() && text_.back() == '\n') text_.pop_back();
}

void Source::fail(uint32_t offset, const std::string& message, ErrorCode code) const {
  size_t end = std::min<size_t>(offset, text_.size());
  auto row = 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(end), '\n');
  size_t newline = end == 0 ? std::string::npos : text_.rfind('\n', end - 1);
  size_t column = newline == std::string::npos ? end + 1 : end - newline;
  throw Error(code, "chat template " + std::to_string(row) + ":" + std::to_string(column), message);
}

}  // namespace hyalite::jinja

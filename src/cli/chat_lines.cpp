#include "cli/chat_lines.h"

namespace hyalite {
namespace {

constexpr std::string_view kFence = "\"\"\"";

}  // namespace

ChatLines::ChatLines(std::istream& in, std::function<void(const char* prompt)> ask) : in_(in), ask_(std::move(ask)) {}

bool ChatLines::line(const char* prompt, std::string& text) {
  ask_(prompt);
  if (!std::getline(in_, text)) return false;
  if (text.ends_with('\r')) text.pop_back();
  return true;
}

std::string ChatLines::block(std::string text) {
  std::string more;
  while (!text.ends_with(kFence) && line(". ", more)) text += (text.empty() ? "" : "\n") + more;
  if (text.ends_with(kFence)) text.resize(text.size() - kFence.size());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<std::string> ChatLines::next() {
  std::string text, more;
  if (!line("> ", text)) return std::nullopt;
  if (text.starts_with(kFence)) return block(text.substr(kFence.size()));
  while (text.ends_with('\\')) {
    text.back() = '\n';
    if (!line(". ", more)) break;
    text += more;
  }
  return text;
}

}  // namespace hyalite

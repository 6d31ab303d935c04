// What a user types in chat, message by message: a line, lines joined by a trailing backslash, or a block between two """.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>

namespace hyalite {

class ChatLines {
 public:
  // `ask` is called before each line with the prompt to show: "> " for a message, ". " for more of it.
  ChatLines(std::istream& in, std::function<void(const char* prompt)> ask);

  // The next message, or nothing at the end of input. A block that the input ends in the middle of is a message.
  std::optional<std::string> next();

 private:
  bool line(const char* prompt, std::string& text);
  std::string block(std::string text);

  std::istream& in_;
  std::function<void(const char* prompt)> ask_;
};

}  // namespace hyalite

// Messages to people, on standard error; results never go through here. A Log is made once, in main(), and passed to who needs it.
#pragma once

#include <memory>
#include <string_view>

namespace spdlog {
class logger;
}

namespace hyalite {

enum class LogLevel { debug, info, warning, error };

struct LogOptions {
  LogLevel level = LogLevel::info;  // what is less urgent is dropped
  bool color = false;               // see wants_color()
};

// Whether output to a file descriptor should be coloured: only on a terminal, and not where the user has set NO_COLOR to anything but
// an empty text (https://no-color.org). Pass the variable's value, or nullptr.
bool wants_color(int file_descriptor, const char* no_color);

// Each message is one line, "warning: text"; control characters in it become '?', so that a hostile file name cannot drive the
// terminal. Any thread.
class Log {
 public:
  explicit Log(const LogOptions& options = {});
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  void debug(std::string_view message) const;
  void info(std::string_view message) const;  // without a prefix
  void warning(std::string_view message) const;
  void error(std::string_view message) const;

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace hyalite

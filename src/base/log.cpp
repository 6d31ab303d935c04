#include "base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <unistd.h>

#include <string>

namespace hyalite {
namespace {

// "warning: " with its colour, and nothing before plain information.
class Prefix final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    if (message.level == spdlog::level::info) return;
    message.color_range_start = out.size();
    const spdlog::string_view_t name = spdlog::level::to_string_view(message.level);
    out.append(name.begin(), name.end());
    out.push_back(':');
    message.color_range_end = out.size();
    out.push_back(' ');
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<Prefix>(); }
};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string one_line(std::string_view message) {
  std::string line(message);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return line;
}

}  // namespace

bool wants_color(int file_descriptor, const char* no_color) {
  return (no_color == nullptr || *no_color == '\0') && isatty(file_descriptor) == 1;
}

Log::Log(const LogOptions& options) {
  const auto mode = options.color ? spdlog::color_mode::always : spdlog::color_mode::never;
  logger_ = std::make_unique<spdlog::logger>("hyalite", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(mode));
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<Prefix>('*').set_pattern("%*%v");
  logger_->set_formatter(std::move(formatter));
  logger_->set_level(level_of(options.level));
  logger_->flush_on(spdlog::level::trace);
}

Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

void Log::debug(std::string_view message) const {
  logger_->log(spdlog::level::debug, one_line(message));
}
void Log::info(std::string_view message) const {
  logger_->log(spdlog::level::info, one_line(message));
}
void Log::warning(std::string_view message) const {
  logger_->log(spdlog::level::warn, one_line(message));
}
void Log::error(std::string_view message) const {
  logger_->log(spdlog::level::err, one_line(message));
}

}  // namespace hyalite

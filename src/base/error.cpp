#include "base/error.h"

#include <utility>

namespace hyalite {
namespace {

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::invalid_model: return "invalid_model";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::io: return "io";
    case ErrorCode::context_length_exceeded: return "context_length_exceeded";
    case ErrorCode::non_finite_logits: return "non_finite_logits";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return 2;
    case ErrorCode::invalid_model:
    case ErrorCode::unsupported: return 3;
    default: return 1;
  }
}

Error::Error(ErrorCode code, std::string where, std::string message) : code_(code), where_(std::move(where)), message_(std::move(message)) {
  what_ = one_line(where_.empty() ? message_ : where_ + ": " + message_);
}

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw Error(ErrorCode::internal, std::string(file) + ":" + std::to_string(line),
              std::string("check failed: ") + condition + (message.empty() ? "" : ": ") + message);
}

}  // namespace hyalite

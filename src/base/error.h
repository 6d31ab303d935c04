// The one exception type of Hyalite, for bad input, missing hardware and a broken outside world,
// and HYALITE_CHECK for our own invariants. Neither is used for control flow.
//
//   throw Error(ErrorCode::invalid_model, "model.gguf: tensor blk.0.attn_q", "offset 12 is not a multiple of 32");
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace hyalite {

enum class ErrorCode {
  invalid_argument,         // a flag, a request field, a prompt: the caller's fault
  invalid_model,            // a model, artifact or text file that breaks its format or its own rules
  unsupported,              // well-formed, but Hyalite has no such architecture, tokenizer, template or kernel
  io,                       // the operating system said no
  context_length_exceeded,  // prompt and output do not fit the context
  non_finite_logits,        // NaN or Inf reached the logits of one sequence
  cancelled,                // the user or a client stopped the work
  internal,                 // HYALITE_CHECK failed: a defect of Hyalite
};

// The name used in JSON error bodies, e.g. "invalid_model".
std::string_view name_of(ErrorCode code);

// Exit code of a verb that ends with this error: 1 failed, 2 usage, 3 invalid model or artifact.
int exit_code_of(ErrorCode code);

// `where` names the place in the outside world: file, tensor, field, offset, flag, row:column. Immutable; safe to copy across threads.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string where, std::string message);

  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }

  // "where: message" in one line, control characters replaced.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  ErrorCode code_;
  std::string where_, message_, what_;
};

// Throws Error{internal}. Called by HYALITE_CHECK only.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace hyalite

// Our own invariants; kept in release builds. HYALITE_CHECK(rows > 0, "no rows") .
#define HYALITE_CHECK(condition, message)                                               \
  do {                                                                                  \
    if (!(condition)) ::hyalite::check_failed(__FILE__, __LINE__, #condition, message); \
  } while (0)

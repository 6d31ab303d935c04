// A model's chat template: messages -> prompt.
#pragma once

#include <ctime>
#include <memory>
#include <string>

#include "base/json.h"
#include "text/prompt.h"

namespace hyalite {

struct ChatTemplateOptions {
  bool add_generation_prompt = true;
  Json variables = Json::object();  // further variables of the template, such as enable_thinking
  std::tm now = {};                 // local calendar time that strftime_now() tells; weekday and day of the year are computed from the date
};

// Compiled once; immutable, so render() may run on any number of threads at a time.
class ChatTemplate {
 public:
  // `source`: Jinja, LF or CRLF. `bos` and `eos`: the text of these tokens, empty where the model has none; they are trusted text.
  // Throws Error{unsupported, "chat template row:column"} for syntax that Hyalite does not have, and Error{invalid_argument} for an
  // empty source: a model without a template gets none, never a guessed one.
  ChatTemplate(const std::string& source, std::string bos, std::string eos);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  // `messages`: array of objects with role, content (a string or an array of parts), tool_calls, ... as in the OpenAI API; `tools`: array
  // of tool definitions or null. Everything in them and in the variables is a user's text, save the well-known names of roles, which
  // templates put inside control tokens. Throws Error{invalid_argument, "chat template row:column"} where the template refuses the
  // messages (its own message), Error{unsupported} where it reaches a filter or test that Hyalite does not have, and Error{invalid_model}
  // for a template that does what cannot be done, or runs away.
  Prompt render(const Json& messages, const Json& tools, const ChatTemplateOptions& options) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace hyalite

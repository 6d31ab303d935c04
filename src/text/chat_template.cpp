#include "text/chat_template.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/parser.h"

namespace hyalite {

using jinja::Value;

struct ChatTemplate::Compiled {
  jinja::Source source;
  jinja::Body body;
  std::string bos, eos;
};

namespace {

bool is_known_role(const std::string& role) {
  static constexpr std::string_view roles[] = {"system", "developer", "user", "assistant", "model", "tool", "function", "ipython"};
  return std::find(std::begin(roles), std::end(roles), role) != std::end(roles);
}

Value message_value(const Json& message) {
  if (!message.is_object()) throw Error(ErrorCode::invalid_argument, "messages", "each message must be an object");
  jinja::Dict dict;
  for (const auto& [key, item] : message.items()) {
    bool trusted = key == "role" && item.is_string() && is_known_role(item.get_ref<const std::string&>());
    dict.set_uncharged(jinja::MarkedText(key, true), jinja::value_of_json(item, !trusted));
  }
  return Value::dict(std::move(dict));
}

Value messages_value(const Json& messages) {
  if (!messages.is_array()) throw Error(ErrorCode::invalid_argument, "messages", "an array of messages is needed");
  std::vector<Value> values;
  for (const Json& message : messages) values.push_back(message_value(message));
  return Value::list(std::move(values));
}

// Only the calendar fields are taken over: the others may point to memory of the caller's.
std::tm clock_of(const std::tm& now) {
  std::tm clock = {};
  clock.tm_year = now.tm_year;
  clock.tm_mon = now.tm_mon;
  clock.tm_mday = now.tm_mday;
  clock.tm_hour = now.tm_hour;
  clock.tm_min = now.tm_min;
  clock.tm_sec = now.tm_sec;
  timegm(&clock);
  return clock;
}

}  // namespace

ChatTemplate::ChatTemplate(const std::string& source, std::string bos, std::string eos) {
  if (source.empty()) throw Error(ErrorCode::invalid_argument, "chat template", "the model has no chat template");
  jinja::Source text(source);
  jinja::Body body = jinja::parse(text);
  compiled_ = std::make_unique<const Compiled>(Compiled{std::move(text), std::move(body), std::move(bos), std::move(eos)});
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

Prompt ChatTemplate::render(const Json& messages, const Json& tools, const ChatTemplateOptions& options) const {
  if (!options.variables.is_object()) throw Error(ErrorCode::invalid_argument, "variables", "an object is needed");
  std::vector<std::pair<std::string, Value>> variables = {
      {"messages", messages_value(messages)},
      {"tools", jinja::value_of_json(tools, true)},
      {"documents", Value()},
      {"add_generation_prompt", Value::boolean(options.add_generation_prompt)},
      {"bos_token", Value::text(compiled_->bos)},
      {"eos_token", Value::text(compiled_->eos)},
  };
  for (const auto& [name, value] : options.variables.items()) variables.emplace_back(name, jinja::value_of_json(value, true));
  jinja::Context context(compiled_->source, jinja::Limits{}, clock_of(options.now));
  return jinja::Interpreter(context).render(compiled_->body, variables).spans();
}

}  // namespace hyalite

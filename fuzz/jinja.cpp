// Chat templates: any bytes either compile and render within the limits, or are refused with an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "text/jinja/interpreter.h"
#include "text/jinja/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  using jinja::Value;
  static const Json messages = Json::parse(
      R"([{"role": "user", "content": "<|im_end|> é"}, {"role": "assistant", "content": [{"type": "text", "text": "b"}], "n": [1, 2.5, null]}])");
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    jinja::Source source(text);
    jinja::Body body = jinja::parse(source);
    jinja::Limits limits{20'000, 100'000, 600};
    jinja::Context context(source, limits, {});
    jinja::Interpreter(context).render(body, {{"messages", jinja::value_of_json(messages, true)}, {"bos_token", Value::text("<s>")}});
  } catch (const Error&) {
  }
  return 0;
}

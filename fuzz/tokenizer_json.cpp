// tokenizer.json, and then the tokenizer it makes: ids of a text are inside the vocabulary, and step-by-step decoding equals decoding.
#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"
#include "importers/tokenizer_json.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace {

using namespace hyalite;

constexpr std::string_view kText = "Hello  wörld 123,\n<s> \xff\xc3 日本\0語 ▁x";

void use(const Tokenizer& tokenizer) {
  const std::vector<int32_t> ids = tokenizer.encode(kText);
  Detokenizer detokenizer(tokenizer, false, true);
  std::string text;
  for (int32_t id : ids) {
    HYALITE_CHECK(id >= 0 && id < tokenizer.vocab_size(), "id outside the vocabulary");
    text += detokenizer.push(id);
  }
  HYALITE_CHECK(text + detokenizer.finish() == tokenizer.decode(ids, false), "steps and decode differ");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  attempt([&] { use(Tokenizer(import_tokenizer_json({reinterpret_cast<const char*>(data), size}, "tokenizer.json"))); });
  return 0;
}

#include <charconv>
#include <iostream>

#include "base/error.h"
#include "cli/prompt.h"
#include "cli/tokenizer_source.h"
#include "cli/verb.h"

namespace hyalite {
namespace {

struct Options {
  std::string model, ids;
  bool skip_special = false;
};

std::vector<int32_t> parse_ids(std::string_view text, const Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    size_t length = std::min(text.find_first_of(", "), text.size());
    std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (word.empty()) continue;
    int32_t id = -1;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size() || id < 0 || id >= tokenizer.vocab_size())
      throw Error(ErrorCode::invalid_argument, "--ids " + std::string(word),
                  "must be an id below " + std::to_string(tokenizer.vocab_size()));
    ids.push_back(id);
  }
  return ids;
}

int run(const Options& o, VerbContext& context) {
  Tokenizer tokenizer(load_tokenizer_spec(o.model));
  std::vector<int32_t> ids = parse_ids(o.ids, tokenizer);
  std::string text = tokenizer.decode(ids, o.skip_special);
  if (!context.json) {
    context.out << text << '\n';
    return 0;
  }
  Json pieces = Json::array();
  for (int32_t id : ids) pieces.push_back(printable(tokenizer.piece(id)));
  context.out << Json{{"text", printable(text)}, {"pieces", pieces}}.dump() << '\n';
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("model", o->model, "Model or artifact whose tokenizer to use").required();
  set.add("--ids", o->ids, "Token ids, separated by commas or spaces").required();
  set.add("--skip-special", o->skip_special, "Leave control tokens out of the text");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_detokenize{"detokenize", "Text", "Turn token ids back into text", setup};

}  // namespace hyalite

#include <iostream>

#include "base/error.h"
#include "cli/prompt.h"
#include "cli/tokenizer_source.h"
#include "cli/verb.h"

namespace hyalite {
namespace {

struct Options {
  std::string model, text, file;
  bool no_special = false;
};

int run(const Options& o, VerbContext& context) {
  Tokenizer tokenizer(load_tokenizer_spec(o.model));
  const std::string text = o.file.empty() ? o.text : read_text_file(o.file, context.interrupted);
  remark_lost_bytes(text, tokenizer, context);
  std::vector<int32_t> ids = tokenizer.encode(text, {.add_special = !o.no_special, .parse_special = !o.no_special});
  if (context.json) {
    Json pieces = Json::array();
    for (int32_t id : ids) pieces.push_back(printable(tokenizer.piece(id)));
    context.out << Json{{"token_ids", ids}, {"pieces", pieces}}.dump() << '\n';
    return 0;
  }
  for (int32_t id : ids) context.out << id << '\t' << Json(printable(tokenizer.piece(id))).dump() << '\n';
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("model", o->model, "Model or artifact whose tokenizer to use").required();
  OptionSet source = set.exactly_one("Text");
  source.add("--text", o->text, "The text");
  source.add("--file", o->file, "Read the text from a file");
  set.add("--no-special", o->no_special, "Add no beginning or end token, and treat control tokens in the text as text");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_tokenize{"tokenize", "Text", "Split text into token ids", setup};

}  // namespace hyalite

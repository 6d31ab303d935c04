#include "importers/remarks.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"

namespace hyalite {

std::string readable(std::string_view name) {
  constexpr size_t kMaxBytes = 200;
  return printable(name.substr(0, kMaxBytes));
}

void note_larger_tokenizer(size_t tokens, int64_t rows, std::vector<std::string>& remarks) {
  if (static_cast<int64_t>(tokens) > rows)
    remarks.push_back("the tokenizer has " + std::to_string(tokens) + " tokens, the embedding " + std::to_string(rows) +
                      " rows: the tokens beyond cannot be used");
}

void note_unused_tensors(std::vector<std::string> names, const std::string& layers, const std::string& file,
                         std::vector<std::string>& remarks) {
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (name.ends_with(".bias") || name.starts_with(layers))
      throw Error(ErrorCode::unsupported, file + ": tensor " + readable(name), "this family has no such tensor");
  constexpr size_t kListed = 5;
  std::string text = "ignored " + std::to_string(names.size()) + " tensors that the family does not use: ";
  for (size_t i = 0; i < names.size() && i < kListed; ++i) text += (i ? ", " : "") + readable(names[i]);
  if (names.size() > kListed) text += ", ...";
  remarks.push_back(text);
}

}  // namespace hyalite

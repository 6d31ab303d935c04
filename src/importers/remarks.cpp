#include "importers/remarks.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {

void note_unused_tensors(std::vector<std::string> names, const std::string& file, std::vector<std::string>& remarks) {
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (name.ends_with(".bias")) throw Error(ErrorCode::unsupported, file + ": tensor " + name, "this family has no such bias");
  constexpr size_t kListed = 5;
  std::string text = "ignored " + std::to_string(names.size()) + " tensors that the family does not use: ";
  for (size_t i = 0; i < names.size() && i < kListed; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kListed) text += ", ...";
  remarks.push_back(text);
}

}  // namespace hyalite

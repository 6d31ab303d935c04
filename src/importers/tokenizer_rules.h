// The normalizers, pre-tokenizers and decoders of a tokenizer.json as TextRules, and what its neighbours in a Hugging Face directory say.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/tokenizer_spec.h"
#include "importers/source_files.h"

namespace hyalite {

// A string or boolean member of a JSON object; `otherwise` where it is missing or null. Throws Error{invalid_model} naming file and field
// where it, or the object, has another type.
std::string json_text(const Json& object, const std::string& file, const std::string& field, const char* name, const char* otherwise);
bool json_flag(const Json& object, const std::string& file, const std::string& field, const char* name, bool otherwise);

// Each takes the JSON of one component, null for none. Sequences become flat lists. Throws Error{unsupported} naming a type that Hyalite
// has not, Error{invalid_model} for a field of a wrong type.
class RuleReader {
 public:
  explicit RuleReader(std::string file) : file_(std::move(file)) {}
  std::vector<TextRule> normalizers(const Json& json) const;
  std::vector<TextRule> pre_tokenizers(const Json& json) const;
  std::vector<TextRule> decoders(const Json& json) const;

 private:
  using ReadOne = TextRule (RuleReader::*)(const Json& json, const std::string& type) const;
  void read(const Json& json, const char* field, const char* list, ReadOne one, int depth, std::vector<TextRule>& rules) const;

  TextRule normalizer(const Json& json, const std::string& type) const;
  TextRule pre_tokenizer(const Json& json, const std::string& type) const;
  TextRule decoder(const Json& json, const std::string& type) const;
  std::string pattern(const Json& json, const std::string& field) const;
  int count(const Json& json, const std::string& field, const char* name) const;
  [[noreturn]] void refuse(const std::string& field, const std::string& message) const;

  std::string file_;
};

// Adds what tokenizer_config.json, special_tokens_map.json, generation_config.json and chat_template.jinja say: chat template, beginning,
// end, padding and answer-ending ids, and a beginning or end that tokenizer.json's post-processor leaves out. Missing files say nothing;
// those that were read are added to `files`.
void read_tokenizer_config(const std::filesystem::path& directory, TokenizerSpec& spec, SourceFiles& files);

}  // namespace hyalite

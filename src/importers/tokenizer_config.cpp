// What the neighbours of tokenizer.json say.
#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "importers/tokenizer_rules.h"
#include "importers/vocabulary_builder.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTemplateBytes = size_t{4} << 20;

// The object in a file, or null where there is no such file.
Json read_object(const fs::path& path, SourceFiles& files) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  constexpr JsonLimits kLimits{.max_bytes = size_t{16} << 20, .max_values = 1 << 18, .object = true};
  return read_source_json(path.string(), kLimits, files);
}

// "bos_token": "<s>" or {"content": "<s>", ...}; empty where it is missing.
std::string token_text(const Json& json, const std::string& file, const char* name) {
  if (!json.is_object() || !json.contains(name)) return {};
  const Json& value = json.at(name);
  if (value.is_object()) return json_text(value, file, name, "content", "");
  return json_text(json, file, "", name, "");
}

int32_t find_token(const TokenizerSpec& spec, const std::string& text) {
  if (text.empty()) return -1;
  for (const AddedToken& token : spec.added)
    if (token.text == text) return token.id;
  for (size_t id = 0; id < spec.pieces.size(); ++id)
    if (spec.pieces[id] == text) return static_cast<int32_t>(id);
  return -1;
}

// One template, or a list of named ones, of which "default" counts.
std::string template_of(const Json& config, const std::string& file) {
  const Json value = config.value("chat_template", Json());
  if (!value.is_array()) return json_text(config, file, "", "chat_template", "");
  for (const Json& entry : value)
    if (json_text(entry, file, "chat_template", "name", "") == "default") return json_text(entry, file, "chat_template", "template", "");
  throw Error(ErrorCode::unsupported, file + ": chat_template", "is a list without a template that is named default");
}

std::string read_template(const fs::path& path, SourceFiles& files) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const auto file = open_source(path, files);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.size() > kMaxTemplateBytes) throw Error(ErrorCode::invalid_model, path.string(), "is too large for a chat template");
  if (valid_prefix(text) != text.size()) throw Error(ErrorCode::invalid_model, path.string(), "is not valid UTF-8");
  return std::string(text);
}

void read_answer_ends(const Json& generation, const std::string& file, TokenizerSpec& spec) {
  if (!generation.is_object() || !add_answer_ends(generation, file, 0, spec)) add_usual_answer_ends(spec);
  std::vector<int32_t>& ends = spec.end_of_generation;
  if (spec.eos >= 0) ends.push_back(spec.eos);
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());
}

}  // namespace

void read_tokenizer_config(const fs::path& directory, TokenizerSpec& spec, SourceFiles& files) {
  const std::string config_file = (directory / "tokenizer_config.json").string();
  const std::string map_file = (directory / "special_tokens_map.json").string();
  const Json config = read_object(config_file, files), map = read_object(map_file, files);
  const auto token = [&](const char* name) {
    const std::string text = token_text(config, config_file, name);
    return find_token(spec, text.empty() ? token_text(map, map_file, name) : text);
  };
  spec.bos = token("bos_token");
  spec.eos = token("eos_token");
  spec.pad = token("pad_token");
  if (config.is_object()) {
    const bool bos = json_flag(config, config_file, "", "add_bos_token", false);
    const bool eos = json_flag(config, config_file, "", "add_eos_token", false);
    if (bos && spec.bos >= 0 && spec.prefix.empty()) spec.prefix = {spec.bos};
    if (eos && spec.eos >= 0 && spec.suffix.empty()) spec.suffix = {spec.eos};
  }
  spec.template_file = (directory / "chat_template.jinja").string();
  spec.chat_template = read_template(spec.template_file, files);
  if (spec.chat_template.empty() && config.is_object()) {
    spec.template_file = config_file;
    spec.chat_template = template_of(config, config_file);
  }
  const std::string generation_file = (directory / "generation_config.json").string();
  read_answer_ends(read_object(generation_file, files), generation_file, spec);
}

}  // namespace hyalite

// The tokenizer of a Hugging Face directory: tokenizer.json with tokenizer_config.json, special_tokens_map.json, generation_config.json,
// chat_template.jinja where they are present.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/tokenizer_spec.h"
#include "importers/source_files.h"

namespace hyalite {

// Adds what was read to `files`. Throws Error{unsupported} naming a model, normalizer, pre-tokenizer, post-processor or decoder that
// Hyalite has not, Error{invalid_model} naming file and field for what breaks the format.
TokenizerSpec import_tokenizer_directory(const std::filesystem::path& directory, SourceFiles& files);

// The text of one tokenizer.json alone. `where` names it in messages.
TokenizerSpec import_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace hyalite

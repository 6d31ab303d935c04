// From --prompt, --system, --chat, --raw to token ids.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/option_set.h"
#include "cli/verb.h"
#include "text/tokenizer.h"

namespace hyalite {

struct PromptOptions {
  std::string prompt, file, system;
  bool chat = false, raw = false;
  bool given = false;  // by either flag, perhaps as an empty text
};

// The bytes of a file that is no model, or of a pipe; "-" is standard input. Throws Error{io}, also past 1 GiB, and
// Error{cancelled}.
std::string read_text_file(const std::string& path, const std::atomic<bool>& interrupted);

void add_prompt_options(const OptionSet& set, PromptOptions& options);

// With --chat, or by default where the model has a chat template, the prompt is a user's message; with --raw it is the text itself, with
// the model's beginning token. Throws Error{invalid_argument} for --chat without a template.
std::vector<int32_t> prompt_ids(const PromptOptions& options, const TokenizerSpec& spec, const Tokenizer& tokenizer,
                                const VerbContext& context);

// The ids of a conversation, rendered by the model's chat template up to the assistant's turn. Errors of the template name its file.
std::vector<int32_t> chat_ids(const Json& messages, const TokenizerSpec& spec, const Tokenizer& tokenizer);

// Says on `err`, unless quiet, how many bytes of the text encode() leaves out.
void remark_lost_bytes(std::string_view text, const Tokenizer& tokenizer, const VerbContext& context);

}  // namespace hyalite

#include "cli/prompt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "base/cancellation.h"
#include "base/error.h"
#include "text/chat_template.h"

namespace hyalite {
namespace {

constexpr size_t kMaxTextBytes = size_t{1} << 30;  // ends the reading of /dev/zero

// read(), but for an interruption while there is nothing to read: then -1.
ssize_t read_piece(int file, std::vector<char>& piece, const std::atomic<bool>& interrupted) {
  constexpr int kPatienceMs = 100;
  pollfd wait{.fd = file, .events = POLLIN, .revents = 0};
  while (!interrupted)
    if (poll(&wait, 1, kPatienceMs) > 0) return read(file, piece.data(), piece.size());
  return -1;
}

std::tm local_time() {
  std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return local;
}

std::string spelling(const TokenizerSpec& spec, int32_t id) {
  return id >= 0 && id < static_cast<int32_t>(spec.pieces.size()) ? std::string(spec.pieces[id]) : std::string();
}

}  // namespace

std::string read_text_file(const std::string& path, const std::atomic<bool>& interrupted) {
  const int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(ErrorCode::io, path, std::string("cannot open: ") + std::strerror(errno));
  std::string text;
  std::vector<char> piece(size_t{1} << 16);
  ssize_t count = 0;
  while (text.size() <= kMaxTextBytes && (count = read_piece(file, piece, interrupted)) > 0) text.append(piece.data(), count);
  const int error = errno;
  close(file);
  throw_if_set(&interrupted);
  if (count < 0) throw Error(ErrorCode::io, path, std::string("cannot read: ") + std::strerror(error));
  if (text.size() > kMaxTextBytes) throw Error(ErrorCode::io, path, "has more than " + std::to_string(kMaxTextBytes) + " bytes");
  return text;
}

void add_prompt_options(const OptionSet& set, PromptOptions& o) {
  OptionSet group = set.group("Prompt");
  Option prompt = group.add("-p,--prompt", o.prompt, "The prompt").note_given(o.given);
  group.add("-f,--file", o.file, "Read the prompt from a file; -: standard input").excludes(prompt).note_given(o.given);
  group.add("--system", o.system, "System message (implies --chat)");
  Option chat = group.add("--chat", o.chat, "The prompt is a user's message, put through the chat template (default where there is one)");
  group.add("--raw", o.raw, "The prompt is plain text to continue").excludes(chat);
}

std::vector<int32_t> chat_ids(const Json& messages, const TokenizerSpec& spec, const Tokenizer& tokenizer) {
  if (spec.chat_template.empty()) throw Error(ErrorCode::invalid_argument, "--chat", "the model has no chat template; use --raw");
  Prompt prompt;
  try {
    const ChatTemplate chat(spec.chat_template, spelling(spec, spec.bos), spelling(spec, spec.eos));
    prompt = chat.render(messages, Json(), {.now = local_time()});
  } catch (const Error& error) {
    throw Error(error.code(), spec.template_file + ": " + error.where(), error.message());
  }
  return tokenizer.encode(prompt);
}

void remark_lost_bytes(std::string_view text, const Tokenizer& tokenizer, const VerbContext& context) {
  const size_t lost = tokenizer.lost_bytes(text);
  if (lost > 0 && !context.quiet)
    context.err << "remark: the vocabulary has nothing for " << lost << (lost == 1 ? " byte" : " bytes") << " of the text: left out\n";
}

std::vector<int32_t> prompt_ids(const PromptOptions& o, const TokenizerSpec& spec, const Tokenizer& tokenizer, const VerbContext& context) {
  if (o.raw && !o.system.empty()) throw Error(ErrorCode::invalid_argument, "--system", "has no place in a --raw prompt");
  if (!o.given) throw Error(ErrorCode::invalid_argument, "--prompt", "is missing");
  const bool chat = o.chat || !o.system.empty() || (!o.raw && !spec.chat_template.empty());
  const std::string text = o.file.empty() ? o.prompt : read_text_file(o.file, context.interrupted);
  remark_lost_bytes(text, tokenizer, context);
  if (!chat) return tokenizer.encode(text, {.add_special = true, .parse_special = true});
  Json messages = Json::array();
  if (!o.system.empty()) messages.push_back({{"role", "system"}, {"content", o.system}});
  messages.push_back({{"role", "user"}, {"content", text}});
  return chat_ids(messages, spec, tokenizer);
}

}  // namespace hyalite

#include <unistd.h>

#include <iostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/chat_lines.h"
#include "cli/generation_options.h"
#include "cli/model_options.h"
#include "cli/prompt.h"
#include "cli/speculation_options.h"
#include "cli/verb.h"

namespace hyalite {
namespace {

constexpr int64_t kUsualContext = 4096;  // the whole context of a large model would take gigabytes of cache

struct Options {
  ModelOptions model;
  GenerationOptions generation;
  SpeculationOptions speculation;
  std::string system;
};

constexpr const char* kHelp =
    "/help          this text\n"
    "/history       the conversation so far\n"
    "/clear         forget the conversation, keep the system message\n"
    "/system TEXT   set the system message and forget the conversation; without TEXT: none\n"
    "/save FILE     write the conversation as JSON messages\n"
    "/exit          leave (so does the end of input)\n"
    "A line that ends with \\ goes on in the next; \"\"\" begins and ends a message of many lines. Ctrl-C stops an answer.\n";

class Chat {
 public:
  Chat(const Options& options, Engine& engine, const TokenizerSpec& spec, VerbContext& context)
      : engine_(engine), spec_(spec), context_(context), request_(request_of(options.generation)), system_(options.system) {
    clear();
  }

  // Throws what the template has against a first message, whatever its words.
  void check_template() const {
    Json messages = messages_;
    messages.push_back({{"role", "user"}, {"content", "Hello"}});
    chat_ids(messages, spec_, engine_.tokenizer());
  }

  // False when the user leaves.
  bool handle(const std::string& message) {
    if (message.empty()) return true;
    if (message[0] != '/') {
      answer(message);
      return true;
    }
    const size_t space = message.find(' ');
    const std::string word = message.substr(0, space);
    const size_t begin = message.find_first_not_of(' ', space);
    const std::string rest = begin == std::string::npos ? "" : message.substr(begin);
    return command(word, rest);
  }

  const Json& messages() const { return messages_; }
  bool failed() const { return failed_; }  // the last message was not answered

 private:
  bool command(const std::string& word, const std::string& rest) {
    if (word == "/exit" || word == "/quit") return false;
    if (word == "/help") {
      context_.err << kHelp;
    } else if (word == "/history") {
      for (const Json& one : messages_) context_.err << one["role"].get<std::string>() << ": " << one["content"].get<std::string>() << '\n';
    } else if (word == "/clear") {
      clear();
    } else if (word == "/system") {
      system_ = rest;
      clear();
    } else if (word == "/save") {
      save(rest);
    } else {
      context_.err << "no command is called " << word << "; /help lists them\n";
    }
    return true;
  }

  void clear() {
    messages_ = Json::array();
    if (!system_.empty()) messages_.push_back({{"role", "system"}, {"content", system_}});
  }

  // A message that cannot be answered is taken back, so that the user may go on.
  void answer(const std::string& text) {
    messages_.push_back({{"role", "user"}, {"content", printable(text)}});
    context_.interrupted = false;
    failed_ = false;
    remark_lost_bytes(text, engine_.tokenizer(), context_);
    try {
      request_.prompt = chat_ids(messages_, spec_, engine_.tokenizer());
      TextSink sink;
      if (!context_.json) sink = [this](std::string_view part) { context_.out << part << std::flush; };
      const Generation g = engine_.generate(request_, sink, &context_.interrupted);
      if (!context_.json) context_.out << '\n';
      messages_.push_back({{"role", "assistant"}, {"content", printable(g.text)}});
      if (!context_.quiet && g.finish_reason != "stop") context_.err << '[' << g.finish_reason << "]\n";
    } catch (const Error& error) {
      messages_.erase(messages_.size() - 1);
      failed_ = true;
      print_error(error, context_.err);
      if (error.code() == ErrorCode::context_length_exceeded)
        context_.err << "/clear begins a new conversation; --max-seq gives a longer one where the model allows it\n";
    }
    context_.interrupted = false;
  }

  void save(const std::string& path) {
    if (path.empty()) {
      context_.err << "/save needs the name of a file\n";
      return;
    }
    try {
      write_file_atomically(path, print_json(messages_) + '\n');
      context_.err << "wrote " << path << '\n';
    } catch (const Error& error) {
      print_error(error, context_.err);
    }
  }

  Engine& engine_;
  const TokenizerSpec& spec_;
  VerbContext& context_;
  Request request_;
  std::string system_;
  Json messages_;
  bool failed_ = false;
};

int run(const Options& o, VerbContext& context) {
  CompileOptions compile = compile_options(o.model, context);
  plan_speculation(o.speculation, compile);
  std::shared_ptr<ModelPlan> model = load(o.model, compile, context);
  if (model->tokenizer.chat_template.empty())
    throw Error(ErrorCode::invalid_argument, o.model.model, "has no chat template; `hyalite run --raw` continues plain text");
  Tokenizer tokenizer(model->tokenizer);
  const int64_t limit = std::min(o.model.max_seq > 0 ? o.model.max_seq : kUsualContext, model->prefill.max_positions);
  EngineOptions options{compile.threads, limit, 1, o.model.prefill_chunk};
  add_drafter(o.speculation, compile, context, options);
  Engine engine(model, tokenizer, options);
  Chat chat(o, engine, model->tokenizer, context);
  chat.check_template();
  const bool asks = isatty(STDIN_FILENO) && !context.quiet;
  if (asks) context.err << model->info.name << ", " << limit << " tokens of context; /help lists the commands\n";
  ChatLines lines(std::cin, [&](const char* prompt) {
    if (asks) context.err << prompt << std::flush;
  });
  while (std::optional<std::string> message = lines.next())
    if (context.terminated || !chat.handle(*message)) break;
  if (context.json) context.out << print_json({{"messages", chat.messages()}}) << '\n';
  return context.terminated || (chat.failed() && !isatty(STDIN_FILENO)) ? 1 : 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  o->generation.max_new_tokens = 512;
  add_model_options(set, o->model);
  set.group("Prompt").add("--system", o->system, "System message");
  add_generation_options(set, o->generation);
  add_speculation_options(set, o->speculation);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_chat{"chat", "Generate", "Talk to a model", setup};

}  // namespace hyalite

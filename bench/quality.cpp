// How close a way of computing comes to another one of the same model, token by token. bench/quality.py runs it and llama-perplexity.
//
//   quality MODEL --numerics reference --file TEXT --write BASE    keeps the log-probabilities (workbench/logit_base.h)
//   quality MODEL [--numerics ...] --against BASE                  prints how far this run is from them, as JSON
//
// An edited graph (`hyalite compile --stop-after PASS`, then --resume-from) tells what a single op's numerics contribute.
#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "cli/model_options.h"
#include "workbench/divergence.h"
#include "workbench/scored_windows.h"

namespace hyalite {
namespace {

constexpr int64_t kLogitsRows = 64;  // logits of a large vocabulary take megabytes a row

struct Options {
  ModelOptions model;
  std::string file, write, against, resume_from;
  int32_t context = 512, windows = 4;
};

// A model with its engine, made for windows of one size.
class Subject {
 public:
  Subject(const Options& o, VerbContext& context, int64_t window) {
    CompileOptions compile = compile_options(o.model, context);
    compile.max_symbols.logits_rows = kLogitsRows;
    compile.resume_from = o.resume_from;
    model_ = load(o.model, compile);
    tokenizer_ = std::make_unique<Tokenizer>(model_->tokenizer);
    engine_ = std::make_unique<Engine>(model_, *tokenizer_, EngineOptions{compile.threads, window, 1, o.model.prefill_chunk});
  }
  Engine& engine() { return *engine_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  std::shared_ptr<ModelPlan> model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Engine> engine_;
};

void window_done() {
  std::cerr << '.' << std::flush;
}

Json write_base(const Options& o, VerbContext& context) {
  Subject subject(o, context, o.context);
  std::shared_ptr<MappedFile> text = MappedFile::open(o.file);
  std::vector<int32_t> ids =
      subject.tokenizer().encode({reinterpret_cast<const char*>(text->bytes().data()), text->bytes().size()}, {.add_special = true});
  LogitBaseShape shape{o.context, static_cast<int32_t>(subject.engine().valid_ids()), o.windows};
  if (static_cast<int64_t>(ids.size()) < shape.ids())
    throw Error(ErrorCode::invalid_argument, o.file, fmt::format("has {} tokens, the windows take {}", ids.size(), shape.ids()));
  ids.resize(shape.ids());
  LogitBaseWriter writer(o.write, shape, ids);
  score_windows(
      subject.engine(), ids, o.context, [&](const ScoredRow& row) { writer.add(row.logits); }, window_done, &context.interrupted);
  writer.finish();
  return {{"tokens", shape.ids()}, {"scored", shape.rows()}, {"vocab", shape.vocab}};
}

Json compare(const Options& o, VerbContext& context) {
  LogitBase base(o.against);
  Subject subject(o, context, base.shape().context);
  if (subject.engine().valid_ids() != base.shape().vocab)
    throw Error(ErrorCode::invalid_argument, o.against,
                fmt::format("is for {} ids, the model has {}", base.shape().vocab, subject.engine().valid_ids()));
  std::vector<Divergence> tokens;
  auto add = [&](const ScoredRow& row) { tokens.push_back(divergence(base.row(static_cast<int64_t>(tokens.size())), row.logits)); };
  score_windows(subject.engine(), base.ids(), base.shape().context, add, window_done, &context.interrupted);
  const DivergenceSummary s = summarize(tokens);
  return {{"model", subject.engine().model().info.name},
          {"numerics", subject.engine().model().prefill.numerics},
          {"isa", subject.engine().model().prefill.isa},
          {"tokens", base.shape().ids()},
          {"scored", s.tokens},
          {"top1_agreement", s.top1_agreement},
          {"kl_mean", s.kl_mean},
          {"kl_error", s.kl_error},
          {"kl_median", s.kl_median},
          {"kl_p99", s.kl_p99},
          {"kl_max", s.kl_max}};
}

int run(int argc, char** argv) {
  Options o;
  CLI::App app("Distance of one way of computing a model from another");
  add_model_options(app, o.model);
  auto* write = app.add_option("--write", o.write, "Keep the log-probabilities of --file in this file");
  auto* against = app.add_option("--against", o.against, "Print the distance from the log-probabilities in this file")->excludes(write);
  app.add_option("--file", o.file, "Text")->excludes(against);
  app.add_option("--resume-from", o.resume_from, "CacheIR text to go on from, to see what one choice in it costs");
  app.add_option("--ctx", o.context, "Tokens in a window; the second half of each is scored")->check(CLI::Range(4, 1 << 20));
  app.add_option("--windows", o.windows, "Windows of the text")->check(CLI::Range(1, 1 << 20));
  CLI11_PARSE(app, argc, argv);
  std::atomic<bool> interrupted{false};
  VerbContext context{.out = std::cout, .err = std::cerr, .json = true, .quiet = true, .interrupted = interrupted};
  try {
    if (o.against.empty() && (o.write.empty() || o.file.empty()))
      throw Error(ErrorCode::invalid_argument, "quality", "needs --file with --write, or --against");
    Json result = o.against.empty() ? write_base(o, context) : compare(o, context);
    std::cerr << '\n';
    std::cout << result.dump(1) << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "quality: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace
}  // namespace hyalite

int main(int argc, char** argv) {
  return hyalite::run(argc, argv);
}

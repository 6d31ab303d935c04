#include "cli/scoring.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "base/error.h"
#include "base/progress.h"
#include "cli/prompt.h"
#include "compile/artifact.h"

namespace hyalite {
namespace {

constexpr int64_t kLogitsRows = 64;  // logits of a large vocabulary take megabytes a row
constexpr size_t kLineBytes = 56;    // of the text before a token

}  // namespace

void add_scoring_options(const OptionSet& set, ScoringOptions& o) {
  OptionSet measurement = set.group("Measurement");
  measurement.add("--file", o.file, "Text to score; -: standard input");
  measurement.add("--ctx", o.context, "Tokens in a window; the second half of each is scored").range(4, 1 << 24);
  measurement.add("--windows", o.windows, "Most windows to score; 0: the whole text").range(0, 1 << 24);
  measurement.add("--worst", o.worst, "How many of the worst tokens to show").range(0, 1 << 20);
}

ScoredModel::ScoredModel(const ModelOptions& options, int64_t context, const VerbContext& verb) : interrupted_(verb.interrupted) {
  CompileOptions compile = compile_options(options, verb);
  compile.max_symbols.logits_rows = kLogitsRows;
  if (compile.max_positions == 0 && !is_artifact(options.model)) compile.max_positions = context;
  model_ = load(options, compile, verb);
  if (context > model_->prefill.max_positions)  // an artifact, or --max-seq
    throw Error(ErrorCode::invalid_argument, "--ctx",
                fmt::format("{} tokens, the context holds {}", context, model_->prefill.max_positions));
  tokenizer_ = std::make_unique<Tokenizer>(model_->tokenizer);
  engine_ = std::make_unique<Engine>(model_, *tokenizer_, EngineOptions{compile.threads, context, 1, options.prefill_chunk});
}

std::vector<int32_t> ScoredModel::ids_of(const std::string& file) const {
  return tokenizer_->encode(read_text_file(file, interrupted_), {.add_special = true});
}

void with_window_progress(int64_t windows, const VerbContext& verb, const std::function<void(const WindowProgress&)>& work) {
  const SteadyClock clock;
  Progress progress("windows", windows, std::cerr, clock, {.shown = !verb.quiet && isatty(STDERR_FILENO)});
  work({[&] { progress.advance(1); }, &verb.interrupted});
}

WindowCut cut_of(const ScoringOptions& options, size_t ids) {
  return cut_windows(static_cast<int64_t>(ids), options.context, options.windows ? options.windows : std::numeric_limits<int64_t>::max());
}

Json interval_to_json(const Estimate& e) {
  return std::isfinite(e.high) ? Json{e.low, e.high} : Json();
}

std::string interval_to_text(const Json& interval, int digits) {
  if (interval.is_null()) return "too few tokens for an interval";
  return fmt::format("{:.{}f} to {:.{}f} with 95% confidence", interval[0].get<double>(), digits, interval[1].get<double>(), digits);
}

Json token_to_json(const TokenInText& token) {
  return {{"position", token.position}, {"id", token.id}, {"text", printable(token.text)}, {"before", printable(token.before)}};
}

std::string token_to_line(const Json& token) {
  const std::string before = token["before"];
  const size_t cut = before.size() > kLineBytes ? before.size() - kLineBytes : 0;
  const std::string quoted = Json(printable(before.substr(cut)) + "[" + token["text"].get<std::string>() + "]").dump();
  return (cut ? "..." : "") + quoted.substr(1, quoted.size() - 2);  // line breaks stay escaped
}

Json choice_to_json(const Prediction& p, const Tokenizer& tokenizer) {
  return {{"text", printable(tokenizer.piece(p.top))}, {"probability", std::exp(p.top_log_prob)}};
}

}  // namespace hyalite

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/scoring.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "workbench/base_file.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;  // OTHER
  std::string base, write_base, base_format = "compact";
  ScoringOptions scoring;
  int64_t base_top = 256;
  bool context_given = false, windows_given = false;
};

struct Comparison {
  std::vector<Divergence> tokens;
  std::vector<int32_t> ids;
  WindowCut cut;
  Json base;  // {"kind", "kl", ...}
};

Json to_json(const Comparison& c, int64_t worst_count, const Tokenizer& tokenizer) {
  const ComparisonSummary s = summarize(c.tokens, c.cut);
  std::vector<double> kl;
  for (const Divergence& token : c.tokens) kl.push_back(token.kl);
  Json worst = Json::array();
  for (int64_t scored : largest(kl, worst_count)) {
    const Divergence& d = c.tokens[scored];
    Json one = token_to_json(token_in_text(tokenizer, c.ids, c.cut, scored));
    one.update({{"kl", d.kl},
                {"base_probability", std::exp(d.base.next_log_prob)},
                {"probability", std::exp(d.model.next_log_prob)},
                {"base_choice", choice_to_json(d.base, tokenizer)},
                {"choice", choice_to_json(d.model, tokenizer)}});
    worst.push_back(std::move(one));
  }
  return {{"kl_mean", s.kl.mean},
          {"kl_mean_ci95", interval_to_json(s.kl)},
          {"kl_standard_error", s.kl.standard_error},
          {"kl_median", s.kl_median},
          {"kl_p99", s.kl_p99},
          {"kl_max", s.kl_max},
          {"top1_agreement", s.top1_agreement.mean},
          {"top1_agreement_ci95", interval_to_json(s.top1_agreement)},
          {"base_perplexity", s.base_perplexity.mean},
          {"perplexity", s.perplexity.mean},
          {"perplexity_ratio", s.perplexity_ratio.mean},
          {"perplexity_ratio_ci95", interval_to_json(s.perplexity_ratio)},
          {"tokens", s.tokens},
          {"windows", c.cut.windows},
          {"ctx", c.cut.context},
          {"base", c.base},
          {"worst", worst}};
}

Json against_file(const Options& o, const BaseFile& base, VerbContext& context) {
  Comparison c{.ids = {base.ids().begin(), base.ids().end()}, .cut = base.cut(), .base = base.description()};
  if (o.context_given && o.scoring.context != c.cut.context)
    throw Error(ErrorCode::invalid_argument, "--ctx",
                fmt::format("{}, but {} has windows of {}", o.scoring.context, o.base, c.cut.context));
  if (o.windows_given) throw Error(ErrorCode::invalid_argument, "--windows", "has no place beside a base file, which has its windows");
  ScoredModel model(o.model, c.cut.context, context);
  const Tokenizer& tokenizer = model.engine().tokenizer();
  base.check_vocabulary(model.engine());
  if (!o.scoring.file.empty()) base.check_text(model.ids_of(o.scoring.file), o.scoring.file, tokenizer);
  with_window_progress(c.cut.windows, context, [&](const WindowProgress& p) { c.tokens = base.compare_with(model.engine(), p); });
  return to_json(c, o.scoring.worst, tokenizer);
}

Json against_model(const Options& o, ScoredModel& base, VerbContext& context) {
  ScoredModel model(o.model, o.scoring.context, context);
  check_same_vocabulary(base.engine(), model.engine());
  Comparison c{.ids = base.ids_of(o.scoring.file),
               .base = {{"kind", "model"}, {"model", base.engine().model().info.name}, {"kl", "exact"}}};
  if (c.ids != model.ids_of(o.scoring.file))
    throw Error(ErrorCode::invalid_argument, o.scoring.file, "is split into other tokens by each of the two models");
  c.cut = cut_of(o.scoring, c.ids.size());
  with_window_progress(c.cut.windows, context,
                       [&](const WindowProgress& p) { c.tokens = compare(base.engine(), model.engine(), c.ids, c.cut, p); });
  return to_json(c, o.scoring.worst, model.engine().tokenizer());
}

void print(const Json& json, std::ostream& out) {
  auto number = [&](const char* name) { return json[name].get<double>(); };
  out << fmt::format("KL to {} {:.6f} nats ({}), {}; median {:.6f}, p99 {:.5f}, max {:.4f}\n", json["base"].value("model", "the base"),
                     number("kl_mean"), interval_to_text(json["kl_mean_ci95"], 6), json["base"]["kl"].get<std::string>(),
                     number("kl_median"), number("kl_p99"), number("kl_max"));
  out << fmt::format("same first choice {:.2f}% of {} tokens\n", number("top1_agreement") * 100, json["tokens"].get<int64_t>());
  out << fmt::format("perplexity {:.4f} for {:.4f}: ratio {:.5f} ({})\n", number("perplexity"), number("base_perplexity"),
                     number("perplexity_ratio"), interval_to_text(json["perplexity_ratio_ci95"], 5));
  Table table({">position", ">KL", "base's choice", "model's choice", "text"});
  auto choice = [](const Json& one) { return fmt::format("{} {:.0f}%", one["text"].dump(), one["probability"].get<double>() * 100); };
  for (const Json& one : json["worst"])
    table.row({one["position"].dump(), fmt::format("{:.4f}", one["kl"].get<double>()), choice(one["base_choice"]), choice(one["choice"]),
               token_to_line(one)});
  table.print(out);
}

int write_base(const Options& o, ScoredModel& base, VerbContext& context) {
  const std::vector<int32_t> ids = base.ids_of(o.scoring.file);
  const WindowCut cut = cut_of(o.scoring, ids.size());
  with_window_progress(cut.windows, context, [&](const WindowProgress& p) {
    if (o.base_format == "llama.cpp")
      write_logit_base(o.write_base, base.engine(), ids, cut, p);
    else
      write_file_atomically(o.write_base, compact_base_of(base.engine(), ids, cut, o.base_top, p));
  });
  const Json json = {{"output", o.write_base},
                     {"bytes", std::filesystem::file_size(o.write_base)},
                     {"tokens", cut.scored()},
                     {"windows", cut.windows},
                     {"ctx", cut.context}};
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    context.out << fmt::format("wrote {}: {} scored tokens, {:.2f} MB\n", o.write_base, cut.scored(), json["bytes"].get<double>() / 1e6);
  return 0;
}

int run(const Options& o, VerbContext& context) {
  const bool writing = !o.write_base.empty();
  if (writing != o.model.model.empty())
    throw Error(ErrorCode::invalid_argument, "OTHER", writing ? "has no place beside --write-base" : "is missing");
  const std::optional<BaseFile> file = BaseFile::open(o.base);
  if (file && writing) throw Error(ErrorCode::invalid_argument, o.base, "is a base file already");
  if (!file && o.scoring.file.empty()) throw Error(ErrorCode::invalid_argument, "--file", "is missing");
  std::optional<ScoredModel> base;
  if (!file) {
    ModelOptions options = o.model;
    options.model = o.base;
    base.emplace(options, o.scoring.context, context);
  }
  if (writing) return write_base(o, *base, context);
  const Json json = file ? against_file(o, *file, context) : against_model(o, *base, context);
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    print(json, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("base", o->base, "Model, artifact, compact base file, or a file of llama-perplexity --kl-divergence-base").required();
  add_model_options(set, o->model);
  set.get("model").required(false).description("OTHER: the model or artifact that is held against the base");
  add_scoring_options(set, o->scoring);
  set.get("--ctx").note_given(o->context_given);
  set.get("--windows").note_given(o->windows_given);
  OptionSet base_file = set.group("Base file");
  const Option kept =
      base_file.add("--write-base", o->write_base, "Keep the base's log-probabilities of --file in this file, instead of comparing");
  base_file.add("--base-top", o->base_top, "Likeliest ids to keep of each token; the rest counts as one, so the KL is a lower bound")
      .range(1, kMostKept)
      .needs(kept);
  base_file.add("--base-format", o->base_format, "compact, or llama.cpp: what llama-perplexity reads, two bytes for every id")
      .one_of({"compact", "llama.cpp"})
      .needs(kept);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_kl{"kl", "Measure", "How far a model's predictions are from a base's: KL, first choices, perplexity", setup};

}  // namespace hyalite

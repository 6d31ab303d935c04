#include "workbench/perplexity.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "cli/scoring.h"
#include "cli/table.h"
#include "cli/verb.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  ScoringOptions scoring;
};

Json to_json(const Options& o, const std::vector<Prediction>& tokens, const WindowCut& cut, std::span<const int32_t> ids,
             const Tokenizer& tokenizer) {
  std::vector<double> nats;
  for (const Prediction& token : tokens) nats.push_back(-token.next_log_prob);
  const Estimate e = estimate_exp(nats, cut);
  Json worst = Json::array();
  for (int64_t scored : largest(nats, o.scoring.worst)) {
    Json one = token_to_json(token_in_text(tokenizer, ids, cut, scored));
    one.update({{"probability", std::exp(-nats[scored])}, {"nats", nats[scored]}, {"choice", choice_to_json(tokens[scored], tokenizer)}});
    worst.push_back(std::move(one));
  }
  return {{"perplexity", e.mean},
          {"perplexity_ci95", interval_to_json(e)},
          {"standard_error", e.standard_error},
          {"tokens", cut.scored()},
          {"windows", cut.windows},
          {"ctx", cut.context},
          {"worst", worst}};
}

void print(const Json& json, std::ostream& out) {
  out << fmt::format("perplexity {:.4f} ({}) over {} tokens in {} windows of {}\n", json["perplexity"].get<double>(),
                     interval_to_text(json["perplexity_ci95"], 4), json["tokens"].get<int64_t>(), json["windows"].get<int64_t>(),
                     json["ctx"].get<int64_t>());
  Table table({">position", ">probability", "model's choice", "text"});
  for (const Json& one : json["worst"])
    table.row({one["position"].dump(), fmt::format("{:.1e}", one["probability"].get<double>()), one["choice"]["text"].dump(),
               token_to_line(one)});
  table.print(out);
}

int run(const Options& o, VerbContext& context) {
  ScoredModel model(o.model, o.scoring.context, context);
  const std::vector<int32_t> ids = model.ids_of(o.scoring.file);
  const WindowCut cut = cut_of(o.scoring, ids.size());
  std::vector<Prediction> tokens;
  with_window_progress(cut.windows, context, [&](const WindowProgress& p) { tokens = predictions(model.engine(), ids, cut, p); });
  const Json json = to_json(o, tokens, cut, ids, model.engine().tokenizer());
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    print(json, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  add_scoring_options(set, o->scoring);
  set.get("--file").required();
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_perplexity{"perplexity", "Measure", "Perplexity of a text, counted as llama.cpp counts it", setup};

}  // namespace hyalite

#include <fmt/format.h>

#include <iostream>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/generation_options.h"
#include "cli/model_options.h"
#include "cli/prompt.h"
#include "cli/speculation_options.h"
#include "cli/verb.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  GenerationOptions generation;
  PromptOptions prompt;
  SpeculationOptions speculation;
};

Json logprobs_to_json(const Generation& generation, const Tokenizer& tokenizer) {
  auto entry = [&](int32_t id, float logprob) {
    return Json{{"token_id", id}, {"token", printable(tokenizer.piece(id))}, {"logprob", logprob}};
  };
  Json list = Json::array();
  for (const SampledToken& token : generation.tokens) {
    Json json = entry(token.id, token.logprob);
    for (const TokenLogprob& one : token.top) json["top_logprobs"].push_back(entry(one.id, one.logprob));
    list.push_back(std::move(json));
  }
  return list;
}

double per_second(double count, double ms) {
  return ms > 0 ? count / ms * 1e3 : 0;
}

Json timings_to_json(const Generation& g, const EngineOptions& engine, double load_ms) {
  Json json = {{"load_ms", load_ms},
               {"prefill_ms", g.timings.prefill_ms},
               {"decode_ms", g.timings.decode_ms},
               {"prefill_tokens_per_s", per_second(g.usage.prompt_tokens - g.usage.cached_tokens, g.timings.prefill_ms)},
               {"decode_tokens_per_s", per_second(g.usage.completion_tokens - 1, g.timings.decode_ms)}};
  if (engine.drafter) json["speculative"] = speculation_to_json(g.timings);
  return json;
}

Json to_json(const Generation& g, const Request& request, const Tokenizer& tokenizer, const Json& timings) {
  Json json = {{"text", printable(g.text)},
               {"prompt_token_ids", request.prompt},
               {"token_ids", g.ids},
               {"finish_reason", g.finish_reason},
               {"usage",
                {{"prompt_tokens", g.usage.prompt_tokens},
                 {"completion_tokens", g.usage.completion_tokens},
                 {"cached_tokens", g.usage.cached_tokens}}},
               {"timings", timings}};
  if (request.sampling.logprobs > 0) json["logprobs"] = logprobs_to_json(g, tokenizer);
  return json;
}

void print_speed(const Generation& g, const Json& t, std::ostream& err) {
  err << fmt::format("\n[load {:.0f} ms; prompt {} tokens, {:.1f} tokens/s; answer {} tokens, {:.1f} tokens/s; ",
                     t["load_ms"].get<double>(), g.usage.prompt_tokens, t["prefill_tokens_per_s"].get<double>(), g.usage.completion_tokens,
                     t["decode_tokens_per_s"].get<double>());
  if (t.contains("speculative"))
    err << fmt::format("{} of {} guesses right in {} steps; ", g.timings.accepted_tokens, g.timings.drafted_tokens, g.timings.decode_steps);
  err << g.finish_reason << "]\n";
}

// The context that this request needs, unless the user fixed one; never more than the model has.
int64_t sequence_limit(const Options& o, const ModelPlan& model, const Request& request) {
  if (o.model.max_seq > 0) return std::min(o.model.max_seq, model.prefill.max_positions);
  const int64_t most = model.prefill.max_positions;
  const int64_t needed = static_cast<int64_t>(request.prompt.size()) + std::min(request.max_new_tokens, most);
  return std::clamp<int64_t>(needed, 1, most);
}

int run(const Options& o, VerbContext& context) {
  const Stopwatch watch;
  if (o.generation.sampling.logprobs > 0 && !context.json)
    throw Error(ErrorCode::invalid_argument, "--logprobs", "is reported with --json only");
  CompileOptions compile = compile_options(o.model, context);
  plan_speculation(o.speculation, compile);
  std::shared_ptr<ModelPlan> model = load(o.model, compile, context);
  Tokenizer tokenizer(model->tokenizer);
  Request request = request_of(o.generation);
  request.prompt = prompt_ids(o.prompt, model->tokenizer, tokenizer, context);
  EngineOptions options{compile.threads, sequence_limit(o, *model, request), 1, o.model.prefill_chunk};
  add_drafter(o.speculation, compile, context, options);
  Engine engine(model, tokenizer, options);
  double load_ms = watch.ms();
  TextSink sink;
  if (!context.json) sink = [&](std::string_view text) { context.out << text << std::flush; };
  Generation g = engine.generate(request, sink, &context.interrupted);
  const Json timings = timings_to_json(g, options, load_ms);
  if (context.json)
    context.out << print_json(to_json(g, request, tokenizer, timings)) << '\n';
  else
    context.out << '\n';
  if (!context.json && !context.quiet) print_speed(g, timings, context.err);
  return g.finish_reason == "cancelled" ? 1 : 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  add_prompt_options(set, o->prompt);
  add_generation_options(set, o->generation);
  set.group("Sampling").add("--logprobs", o->generation.sampling.logprobs, "With --json: report the N likeliest tokens at each place");
  add_speculation_options(set, o->speculation);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_run{"run", "Generate", "Generate text from a prompt, streaming it", setup};

}  // namespace hyalite

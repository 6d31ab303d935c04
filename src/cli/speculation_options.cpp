#include "cli/speculation_options.h"

#include "base/error.h"
#include "engine/model_drafter.h"
#include "engine/ngram_drafter.h"

namespace hyalite {
namespace {

constexpr int64_t kDraftTokens = 7;  // with the token before them the 8 rows that cost least a row

std::string method_of(const SpeculationOptions& o) {
  if (!o.method.empty()) return o.method;
  return o.draft_model.empty() ? "none" : "draft";
}

}  // namespace

void add_speculation_options(const OptionSet& set, SpeculationOptions& o) {
  OptionSet speculation = set.group("Speculation");
  speculation.add("--speculative", o.method,
                  "Guess ahead and check many guesses in one step, which never changes the answer: none, ngram (look up what followed the "
                  "same words before), draft (--draft-model guesses)");
  speculation.add("--draft-model", o.draft_model, "A smaller model of the same vocabulary");
  speculation.add("--draft-tokens", o.draft_tokens, "Most guesses in a step").range(1, 255).shown_default(std::to_string(kDraftTokens));
}

void plan_speculation(const SpeculationOptions& o, CompileOptions& compile) {
  const std::string method = method_of(o);
  auto refuse = [](const char* flag, const char* why) { throw Error(ErrorCode::invalid_argument, flag, why); };
  if (method != "none" && method != "ngram" && method != "draft") refuse("--speculative", "must be none, ngram or draft");
  if (method == "draft" && o.draft_model.empty()) refuse("--speculative draft", "needs a --draft-model");
  if (method != "draft" && !o.draft_model.empty()) refuse("--draft-model", "has no use without --speculative draft");
  if (method == "none" && o.draft_tokens > 0) refuse("--draft-tokens", "has no use without --speculative");
  if (method == "none") return;
  if (compile.numerics == Numerics::fast)
    refuse("--speculative",
           "never changes the answer, which --numerics fast does not promise: a token's logits may depend on guesses beside it");
  compile.max_draft_tokens = o.draft_tokens > 0 ? o.draft_tokens : kDraftTokens;
}

void add_drafter(const SpeculationOptions& o, const CompileOptions& compile, const VerbContext& context, EngineOptions& engine) {
  const std::string method = method_of(o);
  if (method == "none") return;
  engine.draft_tokens = compile.max_draft_tokens;
  if (method == "ngram") {
    engine.drafter = [](const ModelPlan&, int64_t max_tokens, ThreadPool&) { return std::make_unique<NgramDrafter>(max_tokens); };
    return;
  }
  CompileOptions alone = compile;
  alone.max_draft_tokens = 0;
  alone.max_positions = 0;  // its own context, which may be shorter
  ThreadPool loaders(alone.threads);
  std::shared_ptr<const ModelPlan> draft = load_model(o.draft_model, alone, loaders);
  print_remarks(draft->remarks, context);
  engine.drafter = [draft, where = o.draft_model](const ModelPlan& plan, int64_t max_tokens, ThreadPool& pool) {
    return std::make_unique<ModelDrafter>(draft, where, plan, max_tokens, pool);
  };
}

Json speculation_to_json(const Timings& t) {
  return {{"drafted", t.drafted_tokens},
          {"accepted", t.accepted_tokens},
          {"acceptance_rate", t.drafted_tokens > 0 ? static_cast<double>(t.accepted_tokens) / static_cast<double>(t.drafted_tokens) : 0},
          {"steps", t.decode_steps}};
}

}  // namespace hyalite

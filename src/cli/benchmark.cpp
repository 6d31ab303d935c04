#include "workbench/benchmark.h"

#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/page_memory.h"
#include "cli/machine_json.h"
#include "cli/model_options.h"
#include "cli/step_report.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  BenchmarkOptions benchmark;
};

Json spread_to_json(const Spread& s) {
  return {{"mean", s.mean}, {"median", s.median}, {"min", s.min}, {"max", s.max}, {"deviation", s.deviation}};
}

Json cache_to_json(const ModelPlan& model, const KvPool& kv) {
  return {{"page_size", kPageTokens},
          {"layers", model.prefill.caches.size()},
          {"groups", kv.groups()},
          {"dtype", model.prefill.caches.empty() ? "none" : format_of(model.prefill.caches[0].dtype).name},
          {"bytes", kv.bytes()}};
}

Json to_json(const Options& o, Engine& engine, const CompileOptions& compile, const BenchmarkRuns& runs) {
  std::vector<double> prefill, decode;
  Json list = Json::array();
  for (const BenchmarkSample& one : runs.samples) {
    prefill.push_back(one.prefill_ms);
    decode.push_back(one.decode_ms);
    list.push_back({{"prefill_ms", one.prefill_ms}, {"decode_ms", one.decode_ms}});
  }
  const BenchmarkOptions& b = o.benchmark;
  Spread p = spread_of(prefill), d = spread_of(decode);
  auto rate = [&](int64_t count, double ms) { return ms > 0 ? static_cast<double>(b.batch * count) / ms * 1e3 : 0; };
  const double decode_bytes = step_bytes(engine.model().decode, b.depth + b.prompt_tokens + b.decode_tokens / 2);
  const double decode_rate = d.mean > 0 ? decode_bytes / d.mean * 1e3 : 0;  // bytes per second
  Json steps = Json::array();
  const ModelPlan& model = engine.model();
  const Json observed = {{"prefill", add_steps(model.prefill, runs.prefill, compile.machine, steps)},
                         {"decode", add_steps(model.decode, runs.decode, compile.machine, steps)}};
  return {{"model", model.info.name},
          {"depth", b.depth},
          {"prompt_tokens", b.prompt_tokens},
          {"decode_tokens", b.decode_tokens},
          {"batch", b.batch},
          {"threads", compile.threads},
          {"isa", name_of(model.prefill.isa)},
          {"numerics", name_of(model.prefill.numerics)},
          {"prefill_ms_avg", p.mean},
          {"decode_ms_avg", d.mean},
          {"prefill_tokens_per_s", rate(b.prompt_tokens, p.mean)},
          {"decode_tokens_per_s", rate(1, d.mean)},
          {"prefill_ms", spread_to_json(p)},
          {"decode_ms", spread_to_json(d)},
          {"samples", list},
          {"decode_bytes_per_step", decode_bytes},
          {"decode_gb_per_s", decode_rate / 1e9},
          {"decode_share_of_read_bandwidth", decode_rate / compile.machine.read_bytes_per_s},
          {"steps", steps},
          {"observed", observed},
          {"barriers", barriers_to_json(model.decode, measure_barrier_ns(engine.threads()), d.mean)},
          {"kv_cache", cache_to_json(engine.model(), engine.steps().kv())},
          {"machine", machine_to_json(compile.machine)},
          {"huge_page_bytes", bytes_in_huge_pages()},
          {"build", build_to_json()}};
}

void print_table(const Json& json, std::ostream& out) {
  Table table({"phase", ">tokens", ">ms mean", ">median", ">deviation", ">tokens/s"});
  for (const char* phase : {"prefill", "decode"}) {
    const Json& spread = json[std::string(phase) + "_ms"];
    table.row({phase, json[phase == std::string("prefill") ? "prompt_tokens" : "decode_tokens"].dump(),
               fmt::format("{:.2f}", spread["mean"].get<double>()), fmt::format("{:.2f}", spread["median"].get<double>()),
               fmt::format("{:.2f}", spread["deviation"].get<double>()),
               fmt::format("{:.1f}", json[std::string(phase) + "_tokens_per_s"].get<double>())});
  }
  table.print(out);
  out << fmt::format("decode reads {:.1f} MB a step at {:.1f} GB/s: {:.0f}% of {} read bandwidth\n",
                     json["decode_bytes_per_step"].get<double>() / 1e6, json["decode_gb_per_s"].get<double>(),
                     json["decode_share_of_read_bandwidth"].get<double>() * 100,
                     json["machine"]["measured"].get<bool>() ? "the measured" : "an assumed");
  out << barrier_line(json["barriers"]) << '\n';
  print_steps(json["steps"], out);
}

int run(const Options& o, VerbContext& context) {
  CompileOptions compile = compile_options(o.model, context);
  const BenchmarkOptions& b = o.benchmark;
  compile.max_decode_sequences = b.batch;
  const int64_t needed = b.depth + b.prompt_tokens + b.decode_tokens;
  if (compile.max_positions == 0 && !is_artifact(o.model.model)) compile.max_positions = needed;
  std::shared_ptr<ModelPlan> model = load(o.model, compile, context);
  if (needed > model->prefill.max_positions)  // an artifact
    throw Error(ErrorCode::context_length_exceeded, "--depth + --prompt-tokens + --decode-tokens",
                fmt::format("{} tokens, the context holds {}", needed, model->prefill.max_positions));
  if (b.batch > model->decode.max_symbols.sequences)
    throw Error(ErrorCode::invalid_argument, "--batch",
                fmt::format("the artifact was compiled for {} sequences", model->decode.max_symbols.sequences));
  Tokenizer tokenizer(model->tokenizer);
  Engine engine(model, tokenizer, {compile.threads, needed, b.batch, o.model.prefill_chunk});
  Json json = to_json(o, engine, compile, run_benchmark(engine, b, &context.interrupted));
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    print_table(json, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  OptionSet measurement = set.group("Measurement");
  BenchmarkOptions& b = o->benchmark;
  measurement.add("--depth", b.depth, "Positions in the cache before the prompt, not timed").range(0, 1 << 24);
  measurement.add("--prompt-tokens", b.prompt_tokens, "Tokens of prefill per sequence").range(1, 1 << 24);
  measurement.add("--decode-tokens", b.decode_tokens, "Decode steps").range(0, 1 << 24);
  measurement.add("--batch", b.batch, "Sequences").range(1, 4096);
  measurement.add("--repeats", b.repeats, "Runs that count").range(1, 10000);
  measurement.add("--warmup", b.warmup, "Runs before them that do not").range(0, 10000);
  return [o](VerbContext& context) {
    o->benchmark.prefill_chunk = o->model.prefill_chunk;
    return run(*o, context);
  };
}

}  // namespace

extern const Verb verb_benchmark{"benchmark", "Measure", "Time prefill and decode apart, with spread and share of the roofline", setup};

}  // namespace hyalite

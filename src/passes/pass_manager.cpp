#include "passes/pass_manager.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace hyalite {
namespace {

using Rows = std::span<const Pass* const>;

// Index after the pass of this name; 0 for an empty name, -1 where there is none.
int after(Rows pipeline, std::string_view name) {
  if (name.empty()) return 0;
  auto it = std::ranges::find(pipeline, name, &Pass::name);
  return it == pipeline.end() ? -1 : static_cast<int>(it - pipeline.begin()) + 1;
}

std::string names(Rows pipeline) {
  std::string text;
  for (const Pass* pass : pipeline) text += (text.empty() ? "" : ", ") + std::string(pass->name);
  return text;
}

// The part of the pipeline between the module's stage and stop_after.
Rows rows_to_run(Rows pipeline, const Module& module, const PassRunOptions& options) {
  int begin = after(pipeline, module.stage), end = after(pipeline, options.stop_after);
  if (begin < 0) throw Error(ErrorCode::invalid_model, "stage " + module.stage, "is none of the passes: " + names(pipeline));
  if (end < 0) throw Error(ErrorCode::invalid_argument, "pass " + options.stop_after, "is none of: " + names(pipeline));
  if (options.stop_after.empty()) end = static_cast<int>(pipeline.size());
  return pipeline.subspan(begin, std::max(0, end - begin));
}

int count_nodes(const Module& module) {
  int nodes = 0;
  for (const Graph& graph : module.graphs) nodes += graph.node_count();
  return nodes;
}

bool split(Module& module, std::span<const std::string_view> names) {
  auto model = std::ranges::find(module.graphs, "model", &Graph::name);
  if (names.empty() || model == module.graphs.end()) return false;
  std::vector<Graph> copies;
  for (std::string_view name : names) {
    copies.push_back(*model);
    copies.back().set_name(std::string(name));
  }
  auto at = module.graphs.erase(model);
  module.graphs.insert(at, copies.begin(), copies.end());
  return true;
}

void run_one(const Pass& pass, Module& module, const PassContext& context, PassTrace& trace) {
  SteadyClock clock;
  auto begin = clock.now();
  trace.changed = split(module, pass.split_into);
  for (Graph& graph : module.graphs) {
    Rewriter rewriter(graph, pass.name, trace.remarks);
    pass.run(rewriter, context);
    trace.changed |= rewriter.changed();
  }
  trace.ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
}

void verify_after(const Pass& pass, const Module& module) {
  try {
    verify(module);
  } catch (const Error& error) {
    throw Error(ErrorCode::internal, "pass " + std::string(pass.name) + ": " + error.where(), "left a broken graph: " + error.message());
  }
}

// Node changes over all graphs; a graph that was just split off is held against the one it comes from.
std::vector<OpChange> changes_between(const Module& before, const Module& after) {
  std::vector<NodeChange> changes;
  for (const Graph& graph : after.graphs) {
    const Graph* old = before.find(graph.name());
    if (!old) old = before.find("model");
    if (!old) continue;
    std::vector<NodeChange> more = structural_diff(*old, graph);
    changes.insert(changes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return count_by_op(changes);
}

// What stays from one pass to the next, so that nothing is printed or evaluated twice.
class Recorder {
 public:
  Recorder(const PassRunOptions& options, const Module& module) : options_(options) {
    if (options.record_text) module_ = module, text_ = print(module);
    if (options.validator) logits_ = options.validator(module);
  }

  void record(const Module& module, PassTrace& trace) {
    if (options_.record_text) {
      trace.before = std::move(text_);
      text_ = trace.after = print(module);
      if (trace.changed) {
        trace.diff = unified_diff(trace.before, trace.after, trace.name);
        trace.changes = changes_between(module_, module);
        module_ = module;
      }
    }
    if (options_.validator) {
      std::vector<float> logits = trace.changed ? options_.validator(module) : logits_;
      trace.max_abs_error = logits_distance(logits_, logits);
      logits_ = std::move(logits);
    }
  }

 private:
  const PassRunOptions& options_;
  Module module_;
  std::string text_;
  std::vector<float> logits_;
};

}  // namespace

double logits_distance(const std::vector<float>& a, const std::vector<float>& b) {
  HYALITE_CHECK(a.size() == b.size(), "logits of " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " elements");
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double error = std::abs(static_cast<double>(a[i]) - b[i]);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

void check_finite(const PassTrace& trace) {
  if (trace.max_abs_error && !std::isfinite(*trace.max_abs_error))
    throw Error(ErrorCode::non_finite_logits, "pass " + trace.name, "cannot be validated: the logits are not all finite");
}

std::vector<PassTrace> run_passes(Rows pipeline, Module& module, const PassContext& context, const PassRunOptions& options) {
  Rows rows = rows_to_run(pipeline, module, options);
  verify(module);
  Recorder recorder(options, module);
  std::vector<PassTrace> traces;
  for (const Pass* pass : rows) {
    PassTrace& trace = traces.emplace_back(PassTrace{.name = std::string(pass->name), .nodes_before = count_nodes(module)});
    run_one(*pass, module, context, trace);
    module.stage = pass->name;
    if (trace.changed) verify_after(*pass, module);
    trace.nodes_after = count_nodes(module);
    recorder.record(module, trace);
  }
  return traces;
}

}  // namespace hyalite

#include "workbench/activation_statistics.h"

#include <cmath>
#include <optional>

#include "base/error.h"
#include "compile/load.h"
#include "runtime/step_runner.h"

namespace hyalite {
namespace {

constexpr int64_t kChunk = 64;  // tokens of a step; all of them ask for logits, which take megabytes a row

// The value that some matrices multiply, and the step that makes it.
struct Watched {
  size_t step = 0;
  PlanOperand value;
  std::vector<std::string> weights;
  ColumnStatistics sums;  // sums until the end
};

std::vector<Watched> watched_values(const ExecutionPlan& plan) {
  std::map<std::string, Watched> made;
  std::map<std::string, size_t> makers;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (step.op->name == "matmul" || step.op->name == "lm_head") {  // all there is without fusions
      const PlanOperand &x = step.inputs[0], &w = step.inputs[1];
      Watched& one = made[x.name];
      one.step = makers.at(x.name);
      one.value = x;
      one.weights.push_back(plan.weights[w.index].name);
    }
    for (const PlanOperand& output : step.outputs) makers[output.name] = i;
  }
  std::vector<Watched> list;
  for (auto& [name, one] : made) {
    const auto columns = static_cast<size_t>(one.value.type.tensor.dims.back().value());
    one.sums.mean_square.resize(columns);
    one.sums.mean_magnitude.resize(columns);
    list.push_back(std::move(one));
  }
  return list;
}

class Recorder {
 public:
  Recorder(const ModelPlan& model, int64_t context, ThreadPool& pool)
      : runner_(model, {.max_tokens = context, .max_sequences = 1}, pool), watched_(watched_values(model.prefill)) {
    by_step_.resize(model.prefill.steps.size());
    for (Watched& one : watched_) by_step_[one.step].push_back(&one);
  }

  void window(std::span<const int32_t> ids) {
    SequencePages pages;
    for (size_t at = 0; at < ids.size(); at += kChunk) {
      const auto part = ids.subspan(at, std::min<size_t>(kChunk, ids.size() - at));
      rows_ = static_cast<int64_t>(part.size());
      const StepSequence sequence{&pages, static_cast<int64_t>(at), part, StepSequence::Logits::all};
      auto observe = [this](size_t step, int64_t) { record(step); };
      const StepObserver observer(observe);
      runner_.run({&sequence, 1}, &observer);
    }
    runner_.kv().release(pages);
  }

  ActivationStatistics finish() const {
    ActivationStatistics result;
    for (const Watched& one : watched_) {
      ColumnStatistics mean = one.sums;
      for (auto* list : {&mean.mean_square, &mean.mean_magnitude})
        for (double& value : *list) {
          value /= static_cast<double>(mean.rows);
          if (!std::isfinite(value))
            throw Error(ErrorCode::non_finite_logits, one.weights[0], "its input is not finite everywhere in the calibration text");
        }
      for (const std::string& name : one.weights) result[name] = mean;
    }
    return result;
  }

 private:
  // The value was made by `step` and a later step reads it, so nothing overwrites it while that one has not ended.
  void record(size_t step) {
    for (Watched* one : by_step_[step]) {
      const auto* x = reinterpret_cast<const float*>(runner_.arena() + one->value.offset);
      const size_t columns = one->sums.mean_square.size();
      for (int64_t row = 0; row < rows_; ++row, x += columns)
        for (size_t c = 0; c < columns; ++c) {
          const double value = x[c];
          one->sums.mean_square[c] += value * value;
          one->sums.mean_magnitude[c] += std::fabs(value);
        }
      one->sums.rows += rows_;
    }
  }

  StepRunner runner_;
  std::vector<Watched> watched_;
  std::vector<std::vector<Watched*>> by_step_;
  int64_t rows_ = 0;
};

}  // namespace

ActivationStatistics measure_activations(ImportedModel model, std::span<const int32_t> ids, int64_t context, CompileOptions options,
                                         const std::function<void()>& window_done) {
  const int64_t windows = static_cast<int64_t>(ids.size()) / context;
  if (windows == 0)
    throw Error(ErrorCode::invalid_argument, "--calibrate",
                "the text has " + std::to_string(ids.size()) + " tokens, a window has " + std::to_string(context));
  options.fuse = false;
  options.max_symbols = {kChunk, 1, kChunk};
  options.max_positions = context;
  ThreadPool pool(options.threads);
  const ThreadPool::CancelScope scope(pool, options.cancel);
  const std::shared_ptr<ModelPlan> plan = make_model_plan(compile(std::move(model), options, pool), pool);
  Recorder recorder(*plan, context, pool);
  for (int64_t w = 0; w < windows; ++w) {
    recorder.window(ids.subspan(w * context, context));
    if (window_done) window_done();
  }
  return recorder.finish();
}

}  // namespace hyalite

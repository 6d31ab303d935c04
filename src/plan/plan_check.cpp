#include "plan/plan_check.h"

#include <limits>

#include "base/error.h"
#include "ops/paged_cache.h"
#include "ops/schema.h"

namespace hyalite {
namespace {

using Kind = PlanOperand::Kind;

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // a batch counts tokens, sequences and positions in 32 bits
constexpr int64_t kMaxBytes = int64_t{1} << 56;                     // of each kind of memory, so that sums stay within 64 bits
constexpr int64_t kAlignment = 64;

class PlanChecker {
 public:
  PlanChecker(const ExecutionPlan& plan, const std::string& where) : plan_(plan), where_(where) {}

  void run() const {
    const Symbols& most = plan_.max_symbols;
    for (int64_t count : {most.tokens, most.sequences, most.logits_rows, plan_.max_positions})
      if (count < 1 || count > kMaxCount) fail("a largest count is " + std::to_string(count));
    for (int64_t bytes : {plan_.arena_bytes, plan_.workspace_bytes})
      if (bytes < 0 || bytes > kMaxBytes) fail("the arena or the workspace has an impossible size, " + std::to_string(bytes) + " bytes");
    for (const CacheSpec& cache : plan_.caches) check_spec(cache);
    check_weights();
    for (const PlanStep& step : plan_.steps) check_step(step);
    check_logits();
    check_lifetimes(plan_, where_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorCode::invalid_model, where_, message); }
  [[noreturn]] void fail(const PlanStep& step, const std::string& message) const { fail("step " + step.path + ": " + message); }

  void check_spec(const CacheSpec& cache) const {
    const bool window = cache.kind == CacheSpec::Kind::sliding_window ? cache.window > 0 : cache.window == 0;
    const bool sizes = cache.kv_heads >= 1 && cache.kv_heads <= kMaxKvHeads && cache.head_dim >= 1 && cache.head_dim <= kMaxHeadDim;
    if (!is_cache_format(cache.dtype) || !window || !sizes) fail("a cache has an impossible format, window or size");
  }

  void check_weights() const {
    int64_t bytes = 0;
    for (const PlanWeight& weight : plan_.weights) {
      check_weight(weight);
      bytes += bytes_of(weight.type, {});
      if (bytes > kMaxBytes) fail("its weights are more than any machine has memory for");
    }
  }

  void check_weight(const PlanWeight& weight) const {
    for (const Dim& dim : weight.type.dims)
      if (dim.is_symbol()) fail("weight " + weight.name + " has no constant size");
    if (!weight.packed.empty() && (weight.type.rank() != 2 || !packed_layout_of(weight.type.dtype, weight.packed)))
      fail("weight " + weight.name + " has no layout " + weight.packed);
  }

  void check_operand(const PlanStep& step, const PlanOperand& operand) const {
    const bool packed = operand.kind == Kind::packed;
    if (packed || operand.kind == Kind::weight) {
      if (operand.index < 0 || operand.index >= static_cast<int32_t>(plan_.weights.size()))
        fail(step, "operand " + operand.name + " names weight " + std::to_string(operand.index) + ", which is not there");
      const PlanWeight& weight = plan_.weights[operand.index];
      if (operand.type != ValueType::of(weight.type) || (packed ? weight.packed.empty() : !weight.as_is))
        fail(step, "operand " + operand.name + " is not what weight " + weight.name + " is");
    }
    if (operand.kind == Kind::ids && operand.type != ValueType::of({DType::i32, {Dim::tokens()}}))
      fail(step, "operand " + operand.name + " is not the token ids");
    if (operand.kind == Kind::arena) check_place(step, operand);
  }

  void check_place(const PlanStep& step, const PlanOperand& operand) const {
    int64_t bytes = 0;
    try {
      bytes = bytes_of(operand.type.tensor, plan_.max_symbols);
    } catch (const Error& error) {
      fail(step, "operand " + operand.name + ": " + error.message());
    }
    if (operand.offset < 0 || operand.offset % kAlignment || bytes > plan_.arena_bytes || operand.offset > plan_.arena_bytes - bytes)
      fail(step, "operand " + operand.name + " lies outside the arena");
  }

  // A variant reads all its weight matrices packed, as far as their format has a packed form, or none.
  void check_form(const PlanStep& step, const PlanOperand& operand) const {
    const TensorType& type = operand.type.tensor;
    const bool matrix = operand.type.kind == ValueType::Kind::tensor && type.rank() == 2 && !type.dims[0].is_symbol();
    const std::string_view wanted = matrix && packed_layout_of(type.dtype, step.variant->layout) ? step.variant->layout : "";
    const std::string_view given = operand.kind == Kind::packed ? plan_.weights[operand.index].packed : std::string_view();
    if (wanted != given) fail(step, "operand " + operand.name + " is not in the form that the kernel reads");
  }

  // An id is checked against the vocabulary only.
  void check_table(const PlanStep& step) const {
    for (const PlanOperand& input : step.inputs)
      if ((input.kind == Kind::weight || input.kind == Kind::packed) && input.type.tensor.rank() == 2 &&
          input.type.tensor.dims[0].value() < plan_.vocab)
        fail(step, "table " + input.name + " has fewer rows than the vocabulary");
  }

  std::vector<ValueType> types_of(const PlanStep& step, const std::vector<PlanOperand>& operands,
                                  std::span<const OperandSpec> specs) const {
    std::vector<ValueType> types;
    if (operands.size() != specs.size()) fail(step, "has " + std::to_string(operands.size()) + " operands or results");
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool absent = operands[i].kind == Kind::none;
      if (absent ? !specs[i].optional : operands[i].type.kind != specs[i].kind)
        fail(step, std::string(specs[i].name) + " is of the wrong kind");
      types.push_back(operands[i].type);
    }
    return types;
  }

  void check_attributes(const PlanStep& step) const {
    try {
      check_attrs(*step.op, step.attrs);
    } catch (const Error& error) {
      fail(step, error.where() + " " + error.message());
    }
  }

  void check_step(const PlanStep& step) const {
    check_attributes(step);
    const std::vector<ValueType> operands = types_of(step, step.inputs, step.op->operands),
                                 results = types_of(step, step.outputs, step.op->results);
    for (const PlanOperand& input : step.inputs) {
      check_operand(step, input);
      check_form(step, input);
      if (input.kind == Kind::ids) check_table(step);
    }
    for (const PlanOperand& output : step.outputs) {
      if (output.kind != Kind::arena && output.kind != Kind::cache) fail(step, "result " + output.name + " has no place of its own");
      check_operand(step, output);
    }
    if (step.layer != step.attrs.integer("layer", -1) || step.layer < -1 || step.layer >= static_cast<int32_t>(plan_.caches.size()))
      fail(step, "layer " + std::to_string(step.layer) + " has no cache");
    check_rules(step, {.operands = operands,
                       .results = results,
                       .attrs = &step.attrs,
                       .symbols = plan_.max_symbols,
                       .cache = step.layer >= 0 ? &plan_.caches[step.layer] : nullptr,
                       .max_positions = plan_.max_positions});
  }

  void check_rules(const PlanStep& step, const Problem& problem) const {
    try {
      if (!step.op->infer || !std::ranges::equal(step.op->infer(problem), problem.results))
        fail(step, "its results are not what the op makes");
      if (problem.cache) check_cache(*step.op, step.attrs, step.path, *problem.cache);
      if (std::string why = step.variant->refuses(problem); !why.empty())
        fail(step, std::string(step.variant->name) + " refuses it: " + why);
      const int64_t needed = step.variant->workspace ? static_cast<int64_t>(step.variant->workspace(problem)) : 0;
      if (needed > step.workspace_bytes || step.workspace_bytes > plan_.workspace_bytes) fail(step, "its workspace is too small");
    } catch (const Error& error) {
      if (error.where() == where_) throw;
      fail(step, error.where() + ": " + error.message());
    }
  }

  void check_logits() const {
    const PlanOperand& logits = plan_.logits;
    const TensorType& type = logits.type.tensor;
    const bool rows = type.rank() == 2 && type.dims[0] == Dim::logits_rows();
    if (logits.kind != Kind::arena || type.dtype != DType::f32 || !rows || type.dims[1] != Dim(plan_.vocab))
      fail("the logits are no f32 matrix of L rows with a column for each of " + std::to_string(plan_.vocab) + " ids");
    check_place({.path = "logits"}, logits);
  }

  const ExecutionPlan& plan_;
  const std::string& where_;
};

}  // namespace

void check_plan(const ExecutionPlan& plan, const std::string& where) {
  PlanChecker(plan, where).run();
}

void check_cache(const OpSpec& op, const Attrs& attrs, const std::string& path, const CacheSpec& cache) {
  auto fail = [&](const std::string& message) { throw Error(ErrorCode::invalid_model, path, message); };
  if (attrs.integer("kv_heads") != cache.kv_heads || attrs.integer("head_dim") != cache.head_dim)
    fail("its cache has " + std::to_string(cache.kv_heads) + " heads of " + std::to_string(cache.head_dim) + ", not what the step says");
  if (cache.kind != CacheSpec::Kind::sliding_window || !find_attr(op, "window")) return;
  const int64_t window = attrs.integer("window", 0);
  if (window < 1 || window > cache.window)
    fail("sees " + (window ? std::to_string(window) : std::string("all")) + " positions, the cache keeps " + std::to_string(cache.window));
}

const CacheSpec& cache_of(const OpSpec& op, const Attrs& attrs, const std::string& path, const std::vector<CacheSpec>& caches) {
  const int64_t layer = attrs.integer("layer");
  if (layer < 0 || layer >= std::ssize(caches))
    throw Error(ErrorCode::invalid_model, path, "layer " + std::to_string(layer) + " has no cache");
  check_cache(op, attrs, path, caches[layer]);
  return caches[layer];
}

}  // namespace hyalite
